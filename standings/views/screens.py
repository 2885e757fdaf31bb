"""The venue screens for everyone: one face by itself, or those the organizer chose in turn. No one has to sign in."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from standings.views.public_parts import Context, PublicPart
from standings.views.screen_faces import Face, Faces, Screen, part_of_lists
from tournament.access.fetch import public_tournament
from tournament.models import Tournament
from tournament.public import responses
from tournament.web.staff_pages import read_number

TURN = "turn"  # the rotation's name, where one face has its key
THEMES = ("light", "dark")
MOST_SCREENS = 12  # side by side


@require_safe
def screen(request: HttpRequest, slug: str, what: str = TURN) -> HttpResponse:
    """A screen: page after page, no input. `?theme=light` or `dark`: so, whatever the device says."""
    part = _part(request, slug, what)
    theme = request.GET.get("theme", "")
    theme = theme if theme in THEMES else ""

    def context() -> Context:
        return {"tournament": part.tournament, "faces": part.html(), "theme": theme}

    name = f"{part.name} page {theme}"
    return responses.page(request, part.tournament, name, part.mark, "standings/screens/screen.html", context)


@require_safe
def screen_part(request: HttpRequest, slug: str, what: str = TURN) -> HttpResponse:
    """The polled part of a screen."""
    return _part(request, slug, what).poll(request)


def _part(request: HttpRequest, slug: str, what: str) -> PublicPart:
    """A screen's part. Raises Http404 for a face that is not known.

    `?part=1&of=3`: the first third of each list, for the first of three screens side by side.
    """
    if what not in (TURN, *Screen.values):
        raise Http404
    tournament = public_tournament(slug)
    faces = Faces(tournament).in_turn() if what == TURN else Faces(tournament).of(what)
    about = [tournament.state, tournament.venue, tournament.rounds_planned, tournament.screen_seconds]
    mark = responses.mark_of(*about, tournament.hold_standings, *((face.id, face.mark) for face in faces))
    part, of = read_number(request, "part"), read_number(request, "of")
    if not 1 <= part <= of <= MOST_SCREENS:
        part = of = 1
    name, template = f"screen {what} {part}/{of}", "standings/screens/_screen.html"
    return PublicPart(tournament, name, mark, template, lambda: _context(tournament, what, faces, part, of))


def _context(tournament: Tournament, what: str, faces: list[Face], part: int, of: int) -> Context:
    shown = [{"face": face, **part_of_lists(face.context(), part, of)} for face in faces]
    context: Context = {
        "tournament": tournament,
        "what": what,
        "shown": shown,
        "held": tournament.hold_standings,
    }
    return context | ({"query": f"?part={part}&of={of}"} if of > 1 else {})
