// Two programs from npm on one event. In: {"players": [id], "rounds": [[[a, b or null, wins, losses, draws]]]}.
// Out: {"organizer": {"ms", "values": {id: [omw, gw, ogw]}}, "swiss": {"ms", "values": {id: modified median}}}.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Match, Player, Tournament } from "tournament-organizer/components";

const { players, rounds } = JSON.parse(readFileSync(0, "utf8"));

function organizer() {
  const tournament = new Tournament("event", "event");
  tournament.scoring = { bestOf: 3, win: 3, draw: 1, loss: 0, bye: 3, tiebreaks: [] };
  const byId = new Map(players.map((id) => [id, new Player(id, id)]));
  tournament.players = [...byId.values()];
  tournament.matches = [];
  rounds.forEach((matches, i) => {
    matches.forEach(([a, b, win, loss, draw], j) => {
      const id = `${i + 1}-${j + 1}`;
      const match = new Match(id, i + 1, j + 1);
      match.active = false;
      match.bye = b === null;
      match.player1 = { id: a, win, loss, draw };
      match.player2 = { id: b, win: loss, loss: win, draw };
      tournament.matches.push(match);
      const line = (opponent, won, lost) =>
        ({ id, opponent, pairUpDown: false, seating: null, bye: opponent === null, win: won, loss: lost, draw });
      byId.get(a).matches.push(line(b, win, loss));
      if (b !== null) byId.get(b).matches.push(line(a, loss, win));
    });
  });
  const start = performance.now();
  const scores = tournament.computeScores(rounds.length);
  const ms = performance.now() - start;
  const values = Object.fromEntries(scores.map(({ player, tiebreaks }) =>
    [player.id, [tiebreaks.oppMatchWinPct, tiebreaks.gameWinPct, tiebreaks.oppGameWinPct]]));
  return { ms, values };
}

function swiss() {
  const { getModifiedMedianScores } = createRequire(import.meta.url)("swiss-pairing")({ maxPerRound: 1 });
  const seats = players.map((id, i) => ({ id, seed: i + 1 }));
  const worth = (won, lost) => (won > lost ? 1 : won === lost ? 0.5 : 0);
  const matches = rounds.flatMap((played, i) => played.map(([a, b, win, loss]) =>
    ({ round: i + 1, home: { id: a, points: worth(win, loss) }, away: { id: b, points: worth(loss, win) } })));
  const start = performance.now();
  const values = getModifiedMedianScores(rounds.length + 1, seats, matches);
  return { ms: performance.now() - start, values };
}

console.log(JSON.stringify({ organizer: organizer(), swiss: swiss() }));
