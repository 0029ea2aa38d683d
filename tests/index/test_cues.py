from finlore.index.cues import RelationCues, shipped_cues


def test_wordings_that_touch_count_once_and_others_each() -> None:
    cues = RelationCues({"supply": ["供应", "供应商", "供货"]})
    assert cues.marks("供应商供货") == {"~supply": 1}
    assert cues.marks("供应商，供货") == {"~supply": 2}
    assert cues.marks("生产") == {}


def test_a_star_ends_a_word_beginning_and_other_cues_are_whole_words() -> None:
    cues = RelationCues({"supply": ["suppl*"], "own": ["own", "stake in"]})
    assert cues.marks("Suppliers own a STAKE IN it") == {"~supply": 1, "~own": 2}
    assert cues.marks("resupply the owner's town") == {}


def test_chinese_letters_end_a_latin_word() -> None:
    assert RelationCues({"executive": ["ceo"]}).marks("由CEO担任") == {"~executive": 1}


def test_one_wording_may_show_two_relations() -> None:
    assert RelationCues({"a": ["控股"], "b": ["控股"]}).marks("控股") == {"~a": 1, "~b": 1}


def test_speaking_of_the_company_is_no_relation() -> None:
    cues = RelationCues({"halt": ["停产"]}, subject=["公司", "we"])
    assert cues.read("公司停产") == ({"~halt": 1}, True)
    assert cues.read("Weapons") == ({}, False)


def test_the_shipped_cues_read_both_languages() -> None:
    marks, speaks_of_subject = shipped_cues().read("公司向下游客户供应电池")
    assert ("~supply" in marks, speaks_of_subject) == (True, True)
    assert shipped_cues().read("The company acquires its rival.")[1]
