"""A list to pick from: keys work whatever stands on the screen."""

from __future__ import annotations

from tests.widgets.host import Host
from tui.widgets.menu import Item, Menu


async def test_keys_that_come_before_the_first_layout_move_the_cursor() -> None:
    menu = Menu()
    menu.display = False
    app = Host(menu)
    async with app.run_test(size=(40, 8)) as pilot:
        menu.fill([Item("head", "Things", role="heading"), *(Item(f"{i}", f"thing {i}") for i in range(3))])
        menu.page(1)
        assert menu.item is not None
        assert menu.item.id == "1"
        menu.move(1)
        menu.edge(-1)
        menu.edge(1)
        menu.display = True
        # a busy machine may take more than one turn of the loop to lay out and paint
        for _ in range(100):
            await pilot.pause(0.01)
            if "▸ thing 2" in app.text:
                break
        assert "▸ thing 2" in app.text


async def test_a_list_as_high_as_its_text_keeps_the_blank_row_below_at_every_width() -> None:
    menu = Menu()
    menu.styles.height = "auto"
    # one row at the full width, two beside the column of the scroll bar
    menu.fill([Item("question", "x" * 30 + " " + "y" * 7, role="strong")])
    app = Host(menu, Menu())
    async with app.run_test(size=(40, 8)) as pilot:
        await pilot.pause()
        assert [menu.get_content_height(menu.size, menu.size, width) for width in (38, 39)] == [2, 1]
        assert menu.outer_size.height == 3
