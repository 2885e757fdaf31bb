"""Maximum-weight perfect matching over integers of any size (Edmonds 1965, primal-dual, dense, O(n^3)).

For weights beyond 128 bits, as top-down objectives need them; smaller ones go to the compiled matching.

Every vertex has a dual value, every blossom (an odd set shrunk to one node) one too, and an edge is *tight*
when its slack, dual + dual - 2 × weight, is 0 outside blossoms. Matched edges are always tight. A stage grows
alternating trees of tight edges from all unmatched nodes: outer nodes (S) and inner ones (T); it ends with an
augmenting path between two trees. Where nothing is tight, duals move by the least amount that makes it so.
"""

from __future__ import annotations

from collections.abc import Sequence

OUTER, INNER = "S", "T"


def perfect_matching(size: int, edges: Sequence[tuple[int, int, int]]) -> list[tuple[int, int]] | None:
    """The heaviest set of disjoint edges (u, v, weight) covering vertices 0..size-1; None where none does."""
    if size % 2:
        return None
    matcher = Matcher(size, edges)
    for _ in range(size // 2):
        if not matcher.stage():
            return None
    return [(v, matcher.mate[v]) for v in range(size) if v < matcher.mate[v]]


class Matcher:
    """Nodes 0..size-1 are vertices, higher ones blossoms. Lists are by node.

    best[x][y]  the tightest edge (vertex in x, vertex in y); it stays so: duals in a node move together
    mate[x]     the vertex outside x that x is matched to
    cycle[b], links[b]  children of a blossom, the base first, and the edge from each child to the next
    """

    def __init__(self, size: int, edges: Sequence[tuple[int, int, int]]):
        nodes = size + size // 2
        self.size = size
        self.weight: list[dict[int, int]] = [{} for _ in range(size)]
        self.best: list[dict[int, tuple[int, int]]] = [{} for _ in range(nodes)]
        for u, v, weight in edges:
            self.weight[u][v] = self.weight[v][u] = 2 * weight
            self.best[u][v] = (u, v)
            self.best[v][u] = (v, u)
        highest = max((weight for _, _, weight in edges), default=0)
        self.dual = [highest] * size + [0] * (nodes - size)
        self.mate = [-1] * nodes
        self.top = list(range(size))  # by vertex: the outermost node that holds it
        self.tops = set(range(size))
        self.leaves: list[list[int]] = [[v] for v in range(size)] + [[] for _ in range(nodes - size)]
        self.cycle: list[list[int]] = [[] for _ in range(nodes)]
        self.links: list[list[tuple[int, int]]] = [[] for _ in range(nodes)]
        self.unused = list(range(nodes - 1, size - 1, -1))
        self.label: dict[int, str] = {}
        self.parent: dict[int, tuple[int, int]] = {}  # of inner nodes: (vertex in the parent, vertex here)
        self.near: dict[int, tuple[int, int]] = {}  # the tightest edge from another tree node to this node

    def slack(self, edge: tuple[int, int]) -> int:
        u, v = edge
        return self.dual[u] + self.dual[v] - self.weight[u][v]

    def stage(self) -> bool:
        """Match two more vertices. False where no perfect matching exists."""
        self.label = {x: OUTER for x in self.tops if self.mate[x] < 0}
        self.parent.clear()
        self.near.clear()
        for x in self.label:
            self._reach_from(x)
        while True:
            step = self._least_step()
            if step is None:
                return False
            change, event, x = step
            if change:
                self._move_duals(change)
            if event == "expand":
                self._expand(x)
                continue
            u, v = self.near[x]
            if event == "grow":
                self._grow(u, v)
                continue
            ancestor = self._common_ancestor(self.top[u], self.top[v])
            if ancestor is None:
                self._augment(u, v)
                self._augment(v, u)
                return True
            self._shrink(ancestor, u, v)

    def _reach_from(self, x: int) -> None:
        """Let the outer node x offer its edges to all other nodes."""
        offers = self.best[x]
        for y in self.tops:
            edge = offers.get(y)
            if edge is not None and y != x:
                known = self.near.get(y)
                if known is None or self.slack(edge) < self.slack(known):
                    self.near[y] = edge

    def _look_around(self, y: int) -> None:
        """Find the tightest edge to y from any outer node."""
        self.near.pop(y, None)
        edges = [
            self.best[x][y] for x in self.tops if x != y and self.label.get(x) == OUTER and y in self.best[x]
        ]
        if edges:
            self.near[y] = min(edges, key=self.slack)

    def _least_step(self) -> tuple[int, str, int] | None:
        """The least change of duals at which something happens: (change, what, to which node)."""
        least: tuple[int, str, int] | None = None
        for x in self.tops:
            label = self.label.get(x)
            if label == INNER:
                if x < self.size:
                    continue
                candidate = (self.dual[x] // 2, "expand", x)
            elif x in self.near:
                slack = self.slack(self.near[x])
                candidate = (slack, "grow", x) if label is None else (slack // 2, "join", x)
            else:
                continue
            if least is None or candidate[0] < least[0]:
                least = candidate
        return least

    def _move_duals(self, change: int) -> None:
        for x, label in self.label.items():
            signed = -change if label == OUTER else change
            for v in self.leaves[x]:
                self.dual[v] += signed
            if x >= self.size:
                self.dual[x] -= 2 * signed

    def _grow(self, u: int, v: int) -> None:
        inner = self.top[v]
        self.label[inner] = INNER
        self.parent[inner] = (u, v)
        outer = self.top[self.mate[inner]]
        self.label[outer] = OUTER
        self._reach_from(outer)

    def _up(self, x: int) -> tuple[int, int] | None:
        """The tree edge from x towards its root: (vertex in x, vertex in the next node)."""
        if self.label[x] == INNER:
            p, q = self.parent[x]
            return q, p
        v = self.mate[x]
        return None if v < 0 else (self.mate[v], v)

    def _path(self, x: int) -> list[int]:
        """Nodes from x to its root."""
        path = [x]
        while (edge := self._up(path[-1])) is not None:
            path.append(self.top[edge[1]])
        return path

    def _common_ancestor(self, x: int, y: int) -> int | None:
        on_path = set(self._path(x))
        return next((node for node in self._path(y) if node in on_path), None)

    def _augment(self, u: int, v: int) -> None:
        """Match the outer node of u with v and flip its path to the root."""
        while True:
            x = self.top[u]
            old = self.mate[x]
            self._match(x, u, v)
            if old < 0:
                return
            inner = self.top[old]
            p, q = self.parent[inner]
            self._match(inner, q, p)
            u, v = p, q

    def _match(self, x: int, u: int, v: int) -> None:
        """Match node x by its vertex u with v outside; the child that holds u becomes a blossom's base."""
        self.mate[x] = v
        if x < self.size:
            return
        at = next(k for k, child in enumerate(self.cycle[x]) if u in self.leaves[child])
        self.cycle[x] = children = self.cycle[x][at:] + self.cycle[x][:at]
        self.links[x] = links = self.links[x][at:] + self.links[x][:at]
        self._match(children[0], u, v)
        for k in range(1, len(children), 2):
            a, b = links[k]
            self._match(children[k], a, b)
            self._match(children[k + 1], b, a)

    def _shrink(self, ancestor: int, u: int, v: int) -> None:
        """Make one outer node of the odd cycle that the tight edge u-v closes."""
        down: list[tuple[int, tuple[int, int]]] = []
        up: list[tuple[int, tuple[int, int]]] = []
        for start, steps in ((u, down), (v, up)):
            x = self.top[start]
            while x != ancestor:
                edge = self._up(x)
                assert edge is not None  # the ancestor is above
                steps.append((x, edge))
                x = self.top[edge[1]]
        blossom = self.unused.pop()
        children = [ancestor] + [x for x, _ in reversed(down)] + [x for x, _ in up]
        links = [(b, a) for _, (a, b) in reversed(down)] + [(u, v)] + [edge for _, edge in up]
        self.cycle[blossom], self.links[blossom] = children, links
        self.leaves[blossom] = [leaf for child in children for leaf in self.leaves[child]]
        self.dual[blossom] = 0
        self.mate[blossom] = self.mate[ancestor]
        for leaf in self.leaves[blossom]:
            self.top[leaf] = blossom
        for child in children:
            self.tops.discard(child)
            self.label.pop(child, None)
            self.near.pop(child, None)
        self._gather(blossom, children)
        self.tops.add(blossom)
        self.label[blossom] = OUTER
        self._reach_from(blossom)
        self._look_around(blossom)

    def _gather(self, blossom: int, children: list[int]) -> None:
        """The tightest edges of a new blossom, from those of its children."""
        mine: dict[int, tuple[int, int]] = {}
        inside = set(children) | set(self.leaves[blossom])
        for child in children:
            for y, edge in self.best[child].items():
                if y not in inside and (y not in mine or self.slack(edge) < self.slack(mine[y])):
                    mine[y] = edge
        self.best[blossom] = mine
        for y, (a, b) in mine.items():
            self.best[y][blossom] = (b, a)

    def _expand(self, blossom: int) -> None:
        """Replace an inner blossom of dual 0 by its children; those on the tree's way stay in the tree."""
        children, links = self.cycle[blossom], self.links[blossom]
        p, q = self.parent.pop(blossom)
        del self.label[blossom]
        self.tops.discard(blossom)
        self.near.pop(blossom, None)
        for y in self.best[blossom]:
            self.best[y].pop(blossom, None)
        self.best[blossom] = {}
        for child in children:
            self.tops.add(child)
            for leaf in self.leaves[child]:
                self.top[leaf] = child
        at = next(k for k, child in enumerate(children) if q in self.leaves[child])
        step = 1 if at % 2 else -1
        edge = (p, q)
        outer = []
        while True:
            child = children[at]
            self.label[child] = INNER
            self.parent[child] = edge
            if at % len(children) == 0:
                break
            at += step
            outer.append(children[at])
            self.label[outer[-1]] = OUTER
            following = (at + step) % len(children)
            a, b = links[at] if step == 1 else links[following]
            edge = (a, b) if step == 1 else (b, a)
            at = following
        self.unused.append(blossom)
        for child in outer:
            self._reach_from(child)
        for child in children:
            self._look_around(child)
