"""Each sentence of the documented facts that says must is stated by a contract, or left out for a reason."""

from __future__ import annotations

from lab.musts import PAGE, known, page
from nkiverify.model.contracts import all_contracts
from nkiverify.model.documented_facts import SENTENCES
from nkiverify.project.release_facts import Must, sentences_of


def test_every_sentence_is_accounted_for() -> None:
    assert [must for must in known() if must.answer is None] == []


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_contracts_that_are_named_exist() -> None:
    named = {rule for answer in SENTENCES.values() if isinstance(answer, tuple) for rule in answer}
    assert named - {contract.id for contract in all_contracts()} == set()


def test_what_is_said_of_sentences_is_of_some() -> None:
    texts = [f"{must.fact}: {must.text}" for must in known()]
    assert [start for start in SENTENCES if not any(text.startswith(start) for text in texts)] == []


def test_sentences_that_say_must_are_taken_from_a_survey() -> None:
    survey = (
        "- `a.shape` MUST dst has as many rows as src. At most 5 are read. It is fast. «a» `a.other` DEF x is y;\n"
        "- `b.size` PERF at most 4 is better. `b.rows` DEF rows cannot be moved.\nOnly prose.\n"
    )
    assert list(sentences_of(survey)) == [
        Must("a.shape", "dst has as many rows as src."),
        Must("a.shape", "At most 5 are read."),
        Must("b.rows", "rows cannot be moved."),
    ]


def test_a_new_sentence_has_no_answer() -> None:
    assert Must("nobody.knows", "dst must be blue.").answer is None
    assert Must("loop.escape", "a tensor of the body must not be used outside.").answer == ("loop.escape",)
