"""Sentences that speak to a language model instead of a reader, and text that a person does not see."""

import re
from typing import Final

from finlore.language.normal import normalise

_COMMAND: Final = re.compile(
    r"(?:忽略|无视|忘记|忘掉|不要(?:理会|遵守|遵循)|跳过|覆盖|抛弃)[^。;,]{0,12}"
    r"(?:指令|指示|提示词|提示语|系统提示|规则|要求|设定|上文|上述内容|对话|prompt)"
    r"|(?:ignore|disregard|forget|override|bypass|do not follow)\s(?:\w+\s){0,4}"
    r"(?:instructions?|prompts?|rules?|guidelines|system message|context)"
    r"|(?:system|developer|assistant)\s?(?:prompt|message|instruction)s?\b|系统(?:提示|指令|消息)|系统提示词"
    r"|(?:你|您)(?:现在)?(?:是|扮演|作为)(?:一个|一名|一位)?[^。,;]{0,10}(?:助手|模型|机器人|ai|人工智能|assistant|分析助手)"
    r"|you are (?:now )?(?:an?|the) (?:\w+ ){0,3}(?:assistant|model|ai|bot|agent)"
    r"|as an? (?:ai|language model|assistant|llm)\b"
    r"|作为(?:一个|一名)?(?:ai|人工智能|大语言模型|语言模型)[^。,;]{0,6}[,,你您请]"
    r"|(?:请|务必|必须|应当?|需要?)\s?(?:你|您)?\s?(?:直接|只|仅)?(?:输出|回答|回复|返回|生成)\s?"
    r"(?:[:\"“]|以下|如下|[^。]{0,12}(?:评级|目标价|买入|卖出|json))"
    r"|(?:respond|reply|answer|output|print|return)\s(?:only\s)?(?:with|the following|exactly|in json|that)\b[^.]{0,60}"
    r"|(?:to|dear|attention|note to)\s(?:all\s)?(?:the\s)?"
    r"(?:ai|llm|language models?|large language models?|chatgpt|gpt|claude|gemini|assistants?)\b"
    r"|(?:致|告知|提示|提醒)\s?(?:所有)?(?:大?语言?模型|ai助手|人工智能|大模型)"
    r"|<\|?(?:im_start|im_end|system|endoftext|user|assistant)\|?>|\[/?(?:inst|system)\]|<</?sys>>|###\s?(?:instruction|system|human|assistant)\b"
    r"|(?:reveal|print|leak|repeat)\s(?:your|the)\s(?:system\s)?(?:prompt|instructions)|(?:泄露|透露|输出|打印)(?:你的)?(?:系统)?提示词",
)
_GOES_ON: Final = re.compile(
    r"^\W{0,4}(?:请|你|您|务必|必须|改为|将(?:评级|目标价)|把(?:评级|目标价)|直接|只需|从现在起|now\b|instead\b"
    r"|you\b|please\b|always\b|never\b|set\b|change\b"
    r"|output\b|say\b|answer\b|respond\b|from now on\b"
    r"|the (?:new |correct )?(?:rating|target)[^.]{0,20}(?:is|must|should))"
)
_UNSEEN: Final = re.compile("[\u200b-\u200d\u2060-\u2064\ufeff]")
_DISGUISED: Final = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
_MOST_UNSEEN: Final = 2


def speaks_to_model(text: str) -> bool:
    """Whether a sentence orders a language model about (忽略以上指令, ignore previous instructions)."""
    return _COMMAND.search(normalise(text).text) is not None


def goes_on_ordering(text: str) -> bool:
    """Whether the sentence behind one that does belongs to it."""
    return _GOES_ON.match(normalise(text).text) is not None


def hides_text(text: str) -> bool:
    """Whether it holds what nobody sees: several characters without width, reversed or tagged ones."""
    if text.isascii():
        return False
    return len(_UNSEEN.findall(text)) > _MOST_UNSEEN or _DISGUISED.search(text) is not None
