"""The beginning of a sheet is made as the whole is, and laid out for a terminal without losing a word."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len

from engine.errors import InputError
from engine.text import LANGUAGES, Language
from quizbank.bank import Bank
from quizbank.card import Card
from quizbank.papers.draw import draw
from quizbank.sheets.compose import compose
from quizbank.sheets.document import Document, Drawing, Heading, Node, Note, Passage
from quizbank.sheets.formats import Mode, Options
from quizbank.sheets.gather import Source, gather
from quizbank.sheets.preview import beginning
from quizbank.slots import Quantities
from tui.widgets.sheet_view import NodeRows


@pytest.fixture
def cache(request: pytest.FixtureRequest) -> Path:
    """Proofs are kept by the engine's own digest, so they may be kept from run to run."""
    return Path(request.config.cache.mkdir("proofdeck"))


def first(bank: Bank, topic: str, n: int = 2) -> list[Card]:
    return [card for card in bank.cards if card.topic == topic][:n]


def sources(bank: Bank, of: str) -> Source:
    match of:
        case "one topic":
            return first(bank, "vit", 3)
        case "chapters":
            return [*first(bank, "vit"), *first(bank, "seq2seq")]
        case "mixed":
            return [*first(bank, "vit"), *first(bank, "seq2seq", 1), *first(bank, "vit", 3)[2:]]
        case _:
            return draw(bank.cards, kinds=("choice", "number"), topics=("vit",), count=4, seed=5)


def known(node: Node) -> object:
    """The node, or of a figure, which holds arrays, how it is drawn."""
    return node.picture.svg(LANGUAGES) if isinstance(node, Drawing) else node


@pytest.mark.parametrize(
    ("of", "mode"),
    [
        ("one topic", "key"),
        ("chapters", "paper"),
        ("mixed", "paper"),
        ("paper", "key"),
        pytest.param("chapters", "embedded", marks=pytest.mark.slow),
        pytest.param("paper", "embedded", marks=pytest.mark.slow),
    ],
)
def test_the_beginning_is_that_of_the_whole_sheet(
    bank: Bank, quantities: Quantities, cache: Path, of: str, mode: Mode
) -> None:
    source, options = sources(bank, of), Options(mode=mode)
    begun, goes_on = beginning(source, bank, quantities, options, 2, cache=cache)
    whole = compose(gather(source, bank, quantities, options, cache=cache, backed=mode == "embedded"))
    assert goes_on
    assert 5 < len(begun.nodes) < len(whole.nodes)
    assert [known(node) for node in begun.nodes] == [known(node) for node in whole.nodes[: len(begun.nodes)]]
    # the parts are whole: what comes next is a heading of a further card, chapter or question
    following = whole.nodes[len(begun.nodes)]
    assert isinstance(following, Heading)
    assert following.listed


def test_a_short_sheet_is_shown_to_its_end(bank: Bank, quantities: Quantities, cache: Path) -> None:
    source, options = first(bank, "vit", 1), Options(mode="key")
    whole = compose(gather(source, bank, quantities, options, cache=cache, backed=False))
    assert beginning(source, bank, quantities, options, 2, cache=cache) == (whole, False)
    with pytest.raises(InputError):
        beginning([], bank, quantities, options, 2)


@pytest.fixture(scope="module")
def everything(bank: Bank, card: Card, quantities: Quantities, request: pytest.FixtureRequest) -> Document:
    """A card with all that a sheet can hold: steps, counterexamples, tables, figures, drills, sources."""
    cache = Path(request.config.cache.mkdir("proofdeck"))
    return compose(gather([card], bank, quantities, Options(), cache=cache))


@pytest.mark.parametrize("width", [20, 57, 78])
@pytest.mark.parametrize("languages", [("zh",), ("en",), LANGUAGES])
def test_every_node_fits_the_width_and_is_there(
    everything: Document, languages: tuple[Language, ...], width: int
) -> None:
    laying = NodeRows(languages, width)
    kinds = set()
    for node in everything.nodes:
        kinds.add(type(node).__name__)
        rows = ["".join(text for text, _ in row) for row in laying.of(node)]
        assert max(map(cell_len, rows)) <= width, node
        assert any(row.strip() for row in rows), node
        if isinstance(node, Note | Passage) and all(mark not in str(node.text) for mark in "$`-"):
            for language in languages:
                assert "".join(node.text.of(language).split()) in "".join("".join(rows).split())
    assert {"Heading", "Formula", "Table", "Drawing", "Boxed", "Bullets", "Citation", "Entry"} <= kinds


def test_hostile_text_stands_as_it_is_and_moves_nothing(
    bank: Bank, hostile_card: Card, quantities: Quantities
) -> None:
    document = compose(gather([hostile_card], bank, quantities, Options(mode="key"), backed=False))
    for node in document.nodes:
        for row in NodeRows(LANGUAGES, 60).of(node):
            for text, _ in row:
                assert text.isprintable(), node
