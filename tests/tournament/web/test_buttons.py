from django.template import engines


def test_the_words_of_a_button_are_escaped_once(rf):
    text = "{% load desk %}{% post_button %} Pair {{ name }} {% endpost_button %}"
    form = engines["django"].from_string(text).render({"name": "Fish & <Chips>"}, rf.get("/"))
    assert form.endswith(">Pair Fish &amp; &lt;Chips&gt;</button></form>")
