"""Sentences that speak to a language model instead of a reader, and text that a person does not see."""

import re
from typing import Final

from finlore.language.normal import normalise

# Whom an order is for. The plain words (模型, system) are addressees only where the grammar around them says so.
_MACHINE_ZH: Final = (
    r"(?:(?:大?语言|人工智能|ai|大)模型|ai(?:助手|助理|系统|程序|代理|工具|分析师|机器人)?|人工智能(?:助手|系统|程序)?"
    r"|(?:智能|聊天|对话)(?:助手|助理|机器人)|智能体|大模型|chatgpt|gpt|llm|claude|gemini|deepseek|copilot)"
)
_READER_ZH: Final = rf"(?:{_MACHINE_ZH}|模型|助手|助理|机器人|程序|系统|算法|机器)"
_MACHINE_EN: Final = (
    r"(?:(?:large |ai )?language models?|(?:ai|llm|gpt|nlp|extraction|summari[sz]ation|parsing)s?"
    r" (?:models?|systems?|agents?|assistants?|readers?|tools?|engines?|pipelines?)"
    r"|llms?|ais?|chat ?bots?|chatgpt|gpt|claude|gemini|deepseek|copilot|assistants?)"
)
_READER_EN: Final = rf"(?:{_MACHINE_EN}|models?|systems?|agents?|machines?|programs?|parsers?|extractors?)"
# What only somebody who writes a reply, or reads with an instruction in mind, can be told to do.
_REPLY_ZH: Final = (
    r"(?:输出|回答|回复|返回|答复|填写?|写入|写明|注明|打印|复述|评为|评级为|判定|判为|认定|视为|记录|标注|标记|抽取|提取|归类|声称"
    r"|忽略|无视|忘记|遵守|遵循|服从|执行|听从"
    r"|(?:将|把)[^。;,]{1,16}(?:改|设|评|标|写|填|定|置|记|视|当)(?:定|作|写|置)?(?:为|成|作))"
)
_REPLY_EN: Final = (
    r"(?:output|print|respond|reply|answer|return|emit|say|state|ignore|disregard|forget|rate|classify|label|extract"
    r"|set(?! an?\b| up\b| out\b)|assign|recommend|treat|follow|obey|comply|record|write|mark|report)"
)
_MUST_ZH: Final = r"(?:必须|务必|须|请|应当|应该|应|需|不得|只能|只许|一律|立即|现在)"
_MUST_EN: Final = r"(?:must|shall|should|please|are (?:required|instructed|ordered|asked|told) to|have to|need to)"
_BEGINS: Final = r"(?:^|[。.;:!?,|\n\"“”'‘’(\[【<>*#-])\s?"

_COMMAND: Final = re.compile(
    "|".join(
        (
            # Orders against other orders, or against the text around them.
            r"(?:忽略|无视|忘记|忘掉|不要(?:理会|遵守|遵循)|跳过|覆盖(?=以上|上述|之前|此前|所有|原有|系统)|抛弃)[^。;,]{0,12}"
            r"(?:指令|指示|提示词|提示语|系统提示|规则|要求|设定|上文|上述内容|对话|prompt)",
            r"(?:忽略|无视|忘记|忘掉|抛弃|(?:不要|请勿|切勿|不得)(?:理会|相信|采信|采用|引用|参考|使用))(?:掉|了)?(?:本文|文中)?"
            r"(?:以上|上述|上文|上面|前面|前文|前述|此前|之前|先前|其他|其它|其余)"
            r"(?:的)?(?:所有|全部|一切|任何)?(?:的)?(?:内容|文字|文本|信息|段落|话|数据|说法|材料|分析)",
            r"(?:(?:不要|请勿|切勿|不得)(?:理会|相信|采信|采用|引用|参考|使用))(?:上文|前文)"
            r"|(?:以上|上述|前述|先前|此前|之前)的?(?:所有|全部)?(?:内容|数据|文字|信息|提示|指令)(?:均|一律|全部|都)?(?:已)?(?:作废|无效)"
            r"|以(?:本|此)段(?:内容|文字)?为准",
            r"(?:do not|don't|never) (?:trust|believe|use|cite) (?:\w+ ){0,4}(?:above|preceding)\b",
            r"(?:new|updated|hidden|secret|real|final) instructions?\s?:|(?:begin|end of|start of) instructions?\b"
            r"|(?:新|最新|隐藏|真正|最终)的?(?:指令|指示)\s?(?:[:为是]|如下)",
            r"(?:ignore|disregard|forget|override|bypass|do not follow)\s(?:\w+\s){0,4}"
            r"(?:instructions?|prompts?|rules?|guidelines|system message|context)",
            rf"(?:{_BEGINS}|(?:please|kindly|must|now|and|to) )(?:ignore|disregard|forget)\s"
            rf"(?:(?:all|everything|anything|what|of|is|that|the|was|came|text|content)\s){{0,4}}"
            r"(?:above|previous|preceding|prior|earlier|foregoing|before)"
            r"(?:\s(?:text|content|message|passages?|paragraphs?|sentences?|report|document))?"
            r"\s?(?=[.;:,!)\"”]|$|and\b)",
            # Words of the wire between a program and a model.
            r"(?:system|developer|assistant)\s?(?:prompt|message|instruction)s?\b|系统(?:提示|指令|消息)",
            r"<\|?(?:im_start|im_end|system|endoftext|user|assistant)\|?>|\[/?(?:inst|system)\]|<</?sys>>"
            r"|###\s?(?:instruction|system|human|assistant)\b",
            rf"{_BEGINS}(?:assistant|助手)\s?:",
            rf"{_BEGINS}(?:system|user|developer|human|系统|用户)\s?:\s?"
            rf"(?:(?:{_MUST_ZH}|{_MUST_EN})\s?)?(?:{_REPLY_ZH}|{_REPLY_EN}\b|you\b|你)",
            r"(?:reveal|print|leak|repeat)\s(?:your|the)\s(?:system\s)?(?:prompt|instructions)"
            r"|(?:泄露|透露|输出|打印)(?:你的)?(?:系统)?提示词",
            # Who the reader is told to be.
            r"(?:你|您)(?:现在)?(?:是|扮演|作为)(?:一个|一名|一位)?[^。,;]{0,10}(?:助手|模型|机器人|ai|人工智能|assistant|分析助手)",
            r"you are (?:now )?(?:an?|the) (?:\w+ ){0,3}(?:assistant|model|ai|bot|agent)",
            r"as an? (?:ai|language model|assistant|llm)\b"
            r"|as the (?:(?:ai |language )(?:assistant|model)|assistant|llm)\s?,",
            r"作为(?:一个|一名)?(?:ai|人工智能|大语言模型|语言模型)[^。,;]{0,6}[,,你您请]",
            r"\byour (?:new |only )?(?:task|job|role) is\b|(?:你|您)的(?:新|唯一)?(?:任务|职责|角色)是",
            r"(?:ignore|disregard|forget) what(?:ever)? you (?:were|are|have been)\b",
            # An addressee, called.
            rf"{_BEGINS}(?:to|dear|attention,?|for|hey|hello,?|(?:note|message|instructions?|memo) (?:to|for))"
            rf"\s(?:all\s|any\s|every\s)?(?:the\s)?{_READER_EN}\b"
            rf"(?=\s?[:,!]|\s(?:reading|processing|that|which|who)\b)",
            r"(?:to|dear|attention|note to)\s(?:all\s)?(?:the\s)?"
            r"(?:llm|language models?|large language models?|chatgpt|gpt|claude|gemini|assistants?)\b|note to ai\b",
            r"(?:致|告知|提示|提醒)\s?(?:所有)?(?:大?语言?模型|ai助手|人工智能|大模型)",
            rf"(?:{_BEGINS}|@)(?:致|告|敬告|告知|提示|提醒|通知|注意|请注意|亲爱的|尊敬的|各位|所有|任何|给|@)?"
            rf"\s?(?:各位|所有|任何|各|本)?\s?{_MACHINE_ZH}\s?(?:们)?"
            rf"\s?(?:(?:请)?注意[:,!]|[:,!]\s?(?:{_MUST_ZH}|{_REPLY_ZH}|你|您|以下|下面|本文|本报告))",
            rf"(?:给|供|写给|面向|针对){_READER_ZH}(?:们)?(?:阅读|读取|看|处理|参考)?的?"
            rf"(?:指示|指令|说明|提示|要求|命令|话)\s?:"
            rf"|供{_MACHINE_ZH}(?:阅读|读取|处理)\s?:",
            rf"{_BEGINS}对于?(?:任何|所有|各|一切)\s?{_MACHINE_ZH}\s?:",
            rf"{_BEGINS}(?:致|敬告|告知|提醒|通知|亲爱的|尊敬的)\s?(?:各位|所有|任何)?的?{_READER_ZH}(?:们)?\s?[:,!]",
            rf"(?:{_BEGINS}|请)(?:各|各位|所有|任何)?{_READER_ZH}(?:们)?(?:请)?注意[:,!]",
            rf"请(?:各|各位|所有|任何)?{_READER_ZH}(?:们)?[^。;,]{{0,6}}{_REPLY_ZH}",
            rf"(?:commands?|instructions?|messages?|notes?|prompts?|directives?) (?:for|to) "
            rf"(?:(?:all|any|the|an?) )?{_MACHINE_EN}\b",
            # An addressee by what it does: whoever processes this very text.
            rf"(?:读取|阅读|处理|解析|分析|抽取|提取|总结|看到|读到)(?:到|了)?\s?(?:本|此|该|这|以上|以下|上述)(?:一)?(?:篇|份|段|条)?"
            rf"(?:文|报告|研报|文档|文本|文件|段落|内容|材料|公告|新闻)(?:字|章)?的?\s?(?:任何|所有)?{_READER_ZH}",
            rf"\b{_READER_EN}\s(?:(?:that|which|who)\s)?(?:is |are )?"
            r"(?:reads?|reading|process(?:es|ing)?|pars(?:es|ing)|summari[sz](?:es|ing)|ingest(?:s|ing)?)\s(?:this|these)\b",
            r"when (?:summari[sz]ing|reading|processing|extracting|analy[sz]ing|parsing|asked about|answering)\b"
            r"[^.,]{0,60},"
            rf"\s(?:please |always |never |only |you must ){{0,2}}{_REPLY_EN}\b",
            rf"(?:总结|摘要|分析|回答|处理|提取|抽取|阅读|读取)[^。,;]{{0,10}}时,?\s?"
            rf"(?:请|务必|必须|须|一律)\s?(?:直接|只|仅)?{_REPLY_ZH}",
            # An addressee that must reply.
            rf"{_MACHINE_ZH}[^。;,]{{0,10}},?"
            rf"(?:必须|务必|须|请|应当|应该|不得|只能|只许|一律|立即)\s?(?:你)?\s?(?:直接|只|仅)?{_REPLY_ZH}",
            rf"\b{_MACHINE_EN}\s(?:\w+\s){{0,5}}?{_MUST_EN}\s(?:\w+\s){{0,2}}?{_REPLY_EN}\b",
            # A reply that is dictated.
            r"(?:请|务必|必须|应当?|需要?)\s?(?:你|您)?\s?(?:直接|只|仅)?(?:输出|回答|回复|返回|生成)\s?"
            r"(?:[:\"“]|以下|如下|[^。]{0,12}(?:评级|目标价|买入|卖出|json))",
            r"(?:请|务必|必须|须)\s?(?:你|您)?\s?(?:直接|立即|一律|统一)?(?:将|把)[^。;,]{0,16}"
            r"(?:评级|目标价|净利润|营收|收入|结论|答案|输出|结果)"
            r"[^。;,]{0,8}(?:改|设|评|标|写|填|定|置|记)(?:定|作|写|置)?(?:为|成)",
            r"(?:respond|reply|answer|output|print|return)\s(?:only\s)?(?:with|the following|exactly|in json|that)\b",
            r"(?:please|kindly|(?:you|and|then|must) (?:must|should|shall|will|are to|always|only|just|simply)"
            r"|must|instead)\s(?:only |always |just |simply )?"
            r"(?:output|print|respond|reply|answer|emit|say|write|return)\s(?:\w+\s){0,3}?[\"“'‘]?"
            r"(?:strong )?(?:buy|sell|hold|outperform|underperform|overweight|underweight|json|yes|no)\b",
            rf"{_BEGINS}(?:output|print|respond|answer)\s(?:only\s)?(?:with\s)?[\"“'‘]",
            r"you (?:must|should|shall|will|are to|have to|need to) (?:now |always |only )?"
            r"(?:rate (?:it|this|them|the (?:stock|shares?|company))"
            r"|set|classify|label|output|print|respond|reply|answer)\b",
        )
    )
)
_FOLLOWING: Final = re.compile(
    r"以下|如下|下列|下述|下文|下面|下一段|the following|as follows|what follows|below|next paragraph"
)
_LETTER: Final = re.compile(r"\w")
_UNSEEN: Final = re.compile("[\u200b-\u200d\u2060-\u2064\ufeff]")
_DISGUISED: Final = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
_MOST_UNSEEN: Final = 2


def speaks_to_model(text: str) -> bool:
    """Whether a sentence orders a language model about (忽略以上指令, ignore previous instructions)."""
    return _COMMAND.search(normalise(text).text) is not None


def announces_more(text: str) -> bool:
    """Whether an order says that it goes on behind itself (输出以下内容：, reply with the following)."""
    _, colon, behind = normalise(text).text.rpartition(":")
    return _FOLLOWING.search(behind) is not None or (bool(colon) and _LETTER.search(behind) is None)


def hides_text(text: str) -> bool:
    """Whether it holds what nobody sees: several characters without width, reversed or tagged ones."""
    if text.isascii():
        return False
    return len(_UNSEEN.findall(text)) > _MOST_UNSEEN or _DISGUISED.search(text) is not None
