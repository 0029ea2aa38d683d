import re

from finlore.language.alternatives import any_of


def test_the_longest_word_is_matched_in_whatever_order_they_come() -> None:
    assert re.findall(any_of(["担保", "连带担保", "提供担保"]), "提供担保、连带担保和担保") == [
        "提供担保",
        "连带担保",
        "担保",
    ]


def test_signs_of_regular_expressions_in_words_mean_themselves() -> None:
    assert re.findall(any_of(["*ST", "U.S.", "(A)"]), "*ST U.S. UxSx (A) A") == ["*ST", "U.S.", "(A)"]
