"""The facts of an event, each table with its database constraints."""

from tournament.models.entry import Decklist, Entry, PushSubscription
from tournament.models.judging import DeckCheck, Extension, Flag, Penalty, Report
from tournament.models.log import Action, Baseline, Removal
from tournament.models.round import Match, Round, Seat
from tournament.models.ruleset import Ruleset, RulesetVersion
from tournament.models.stage import Stage, StageEntry
from tournament.models.tournament import Invite, Staff, Tournament
