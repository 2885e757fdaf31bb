"""The facts of an event, one file an idea. What the database itself refuses stands beside each table."""

from tournament.models.baseline import Baseline
from tournament.models.decklist import Decklist
from tournament.models.entry import Entry
from tournament.models.floor import DeckCheck, Extension, Flag, Penalty
from tournament.models.log import Action
from tournament.models.push_subscription import PushSubscription
from tournament.models.report import Report
from tournament.models.round import Match, Round, Seat
from tournament.models.ruleset import Publisher, PublisherMember, Rulebook, RulebookAction, Ruleset
from tournament.models.stage import Stage, StageEntry
from tournament.models.tournament import EventTemplate, Invite, Staff, Tournament
