"""What sentences state of companies. A party stands in brackets, with its kind where it is no company."""

import re
from collections.abc import Iterator
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.graph.folded import surface_of
from finlore.knowledge.lexicon.links import find_links
from finlore.knowledge.schema import load_schema
from finlore.knowledge.sentences import Named, Reading
from finlore.records.document import Metadata
from finlore.records.fact import Fact, Party
from finlore.records.instant import end_of_day
from finlore.records.mapped import MappedText

SCHEMA = load_schema()
SYMMETRIC = {link.id for link in SCHEMA.links if link.symmetric}
COVERED = Party("澄川电子", "澄川电子", "security", entity="603986.SH")

# sentence|subject relation object [value] [planned];…
STATED = """
[澄川电子]持有[恒旭材料]35.2%的股权|澄川电子 owns 恒旭材料 35.2
[恒旭材料]由[澄川电子]持股51%|澄川电子 owns 恒旭材料 51
[恒旭材料]的控股股东为[瑶图集团]，持股比例49.20%|瑶图集团 controls 恒旭材料 49.2
[瑶图集团]系[恒旭材料]控股股东|瑶图集团 controls 恒旭材料
截至年末，[瑶图集团]直接持有[恒旭材料]12.5%股份，为其第二大股东|瑶图集团 owns 恒旭材料 12.5
[恒旭材料]是[瑶图集团]旗下的全资子公司|恒旭材料 subsidiary_of 瑶图集团 100
[瑶图集团]的子公司[恒旭材料]、[立峰科技]投产|恒旭材料 subsidiary_of 瑶图集团;立峰科技 subsidiary_of 瑶图集团
[瑶图集团]及其子公司[立峰科技]签订补充协议|立峰科技 subsidiary_of 瑶图集团
[澄川电子]拟以现金方式收购[立峰科技]60%股权|澄川电子 acquires 立峰科技 60 planned
[澄川电子]收购[立峰科技]60%股权，尚需股东大会批准|澄川电子 acquires 立峰科技 60 planned
[澄川电子] acquires [立峰科技], subject to regulatory approval|澄川电子 acquires 立峰科技 planned
[澄川电子]与[立峰科技]、[恒旭材料]签署战略合作协议|澄川电子 partners_with 立峰科技;澄川电子 partners_with 恒旭材料
持有[恒旭材料]股权的[澄川电子]表示看好|澄川电子 owns 恒旭材料
[澄川电子]持有30%股权的[恒旭材料]投产|澄川电子 owns 恒旭材料 30
[霜桥证券:broker]分析师认为，行业回暖，[澄川电子]将受益|霜桥证券 rates 澄川电子
[瑶图集团]旗下自营品牌[立峰科技]开业|立峰科技 subsidiary_of 瑶图集团
在[恒旭材料]向[澄川电子]定向增发后，股本增加|澄川电子 invests_in 恒旭材料
[澄川电子]受让[立峰科技]60%股权|澄川电子 acquires 立峰科技 60
[立峰科技]被[澄川电子]收购|澄川电子 acquires 立峰科技
[澄川电子]从[瑶图集团]手中收购了[立峰科技]|澄川电子 acquires 立峰科技
[澄川电子]终止收购[立峰科技]|
[澄川电子]未向[立峰科技]提供担保|
[澄川电子]为[立峰科技]提供连带责任担保，担保金额3.5亿元|澄川电子 guarantees 立峰科技 3.5
[立峰科技]的银行借款由[澄川电子]提供担保|澄川电子 guarantees 立峰科技
[澄川电子]对[立峰科技]的担保余额为8,000万元|澄川电子 guarantees 立峰科技 8000
[立峰科技]获[澄川电子]担保|澄川电子 guarantees 立峰科技
[澄川电子]作为担保人，为[立峰科技]在[通禄银行]的贷款承担连带责任|澄川电子 guarantees 立峰科技
[立峰科技]向[澄川电子]采购隔膜|澄川电子 supplies 立峰科技
[立峰科技]的隔膜主要采购自[澄川电子]|澄川电子 supplies 立峰科技
[澄川电子]向[立峰科技]、[恒旭材料]供应隔膜|澄川电子 supplies 立峰科技;澄川电子 supplies 恒旭材料
[澄川电子]是[立峰科技]隔膜的核心供应商|澄川电子 supplies 立峰科技
[立峰科技]的供应商包括[澄川电子]和[恒旭材料]|澄川电子 supplies 立峰科技;恒旭材料 supplies 立峰科技
[澄川电子]已进入[立峰科技]供应链|澄川电子 supplies 立峰科技
[澄川电子]的主要客户包括[立峰科技]、[恒旭材料]等|立峰科技 customer_of 澄川电子;恒旭材料 customer_of 澄川电子
[立峰科技]为[澄川电子]第一大客户|立峰科技 customer_of 澄川电子
[澄川电子]中标[立峰科技]储能项目|澄川电子 supplies 立峰科技
[澄川电子]与[恒旭材料]签署战略合作协议|澄川电子 partners_with 恒旭材料
[澄川电子]与[恒旭材料]合资成立[立峰科技]|澄川电子 founds 立峰科技;恒旭材料 founds 立峰科技
[澄川电子]出资设立全资子公司[立峰科技]|澄川电子 founds 立峰科技;立峰科技 subsidiary_of 澄川电子 100
[澄川电子]的主要竞争对手为[恒旭材料]|澄川电子 competes_with 恒旭材料
在隔膜市场，[澄川电子]与[恒旭材料]展开竞争|澄川电子 competes_with 恒旭材料
[澄川电子]董事长[顾清和:person]表示，订单充足|顾清和 executive_of 澄川电子
[顾清和:person]出任[澄川电子]总经理|顾清和 executive_of 澄川电子
[澄川电子]聘任[顾清和:person]为财务总监|顾清和 executive_of 澄川电子
[顾清和:person]辞去[澄川电子]董事长职务，由[沈若水:person]接任|沈若水 executive_of 澄川电子
[澄川电子]董事长由[顾清和:person]变更为[沈若水:person]|沈若水 executive_of 澄川电子
[澄川电子]的董事长是[沈若水:person]|沈若水 executive_of 澄川电子
[瑶图集团]增持[澄川电子]2%股份|瑶图集团 increases_holding 澄川电子 2
[瑶图集团]减持了[澄川电子]1.3%的股份|瑶图集团 reduces_holding 澄川电子 1.3
[澄川电子]遭[瑶图集团]减持1.3%|瑶图集团 reduces_holding 澄川电子 1.3
[瑶图集团]将所持[立峰科技]30%股权转让给[澄川电子]|瑶图集团 transfers_to 澄川电子 30;瑶图集团 owns 立峰科技 30
[澄川电子]起诉[恒旭材料]专利侵权|澄川电子 litigates_with 恒旭材料
[恒旭材料]与[澄川电子]的合同纠纷一案开庭|恒旭材料 litigates_with 澄川电子
[瑶图集团]战略入股[澄川电子]|瑶图集团 invests_in 澄川电子
[澄川电子]向[立峰科技]增资2亿元|澄川电子 invests_in 立峰科技
[澄川电子]获得[瑶图集团]战略投资|瑶图集团 invests_in 澄川电子
[澄川电子]拟吸收合并[恒旭材料]|澄川电子 merges_with 恒旭材料 planned
[远鉴资信:rating_agency]将[澄川电子]主体评级由AA下调至AA-|远鉴资信 rates 澄川电子
[通禄证券:broker]首次覆盖[澄川电子]，给予买入评级|通禄证券 rates 澄川电子
[证监会:regulator]对[澄川电子]立案调查|证监会 regulates 澄川电子
[澄川电子]被[证监会:regulator]处罚|证监会 regulates 澄川电子
[澄川电子]收到[上交所:exchange]问询函|上交所 regulates 澄川电子
[澄川电子]主营[隔膜:product]的研发、生产和销售|澄川电子 produces 隔膜
[隔膜:product]的主要原材料为[聚乙烯:material]|隔膜 uses_material 聚乙烯
[澄川电子]属于[电池:industry]行业|澄川电子 belongs_to_industry 电池
[澄川电子]被纳入[沪深300:index]成份股|澄川电子 belongs_to_index 沪深300
[工信部:regulator]印发《[储能行动方案:policy]》|工信部 issued_policy 储能行动方案
《[储能行动方案:policy]》由[工信部:regulator]发布|工信部 issued_policy 储能行动方案
[澄川电子]总部位于[宁州:region]|澄川电子 located_in 宁州
[通禄银行]向[立峰科技]提供5亿元贷款|通禄银行 lends_to 立峰科技 5
[Hengxu Battery] holds a 35% stake in [Lifeng Tech]|Hengxu Battery owns Lifeng Tech 35
[Lifeng Tech] is 60% owned by [Hengxu Battery]|Hengxu Battery owns Lifeng Tech 60
[Hengxu Battery] is the controlling shareholder of [Lifeng Tech]|Hengxu Battery controls Lifeng Tech
[Lifeng Tech], a wholly owned subsidiary of [Hengxu Battery], grew|Lifeng Tech subsidiary_of Hengxu Battery 100
[Hengxu Battery]'s subsidiary [Lifeng Tech] raised prices|Lifeng Tech subsidiary_of Hengxu Battery
[Hengxu Battery] acquired [Lifeng Tech] in 2023|Hengxu Battery acquires Lifeng Tech
[Lifeng Tech] was acquired by [Hengxu Battery]|Hengxu Battery acquires Lifeng Tech
[Hengxu Battery] plans to acquire [Lifeng Tech]|Hengxu Battery acquires Lifeng Tech planned
[Hengxu Battery] supplies separators to [Lifeng Tech]|Hengxu Battery supplies Lifeng Tech
[Lifeng Tech] is supplied by [Hengxu Battery]|Hengxu Battery supplies Lifeng Tech
[Lifeng Tech] sources its separators from [Hengxu Battery]|Hengxu Battery supplies Lifeng Tech
[Hengxu Battery] is a key supplier to [Lifeng Tech]|Hengxu Battery supplies Lifeng Tech
[Hengxu Battery] guarantees the loans of [Lifeng Tech]|Hengxu Battery guarantees Lifeng Tech
[Lifeng Tech]'s bonds are guaranteed by [Hengxu Battery]|Hengxu Battery guarantees Lifeng Tech
[Hengxu Battery] competes with [Lifeng Tech]|Hengxu Battery competes_with Lifeng Tech
The main rivals of [Hengxu] are [Lifeng] and [Yaotu]|Hengxu competes_with Lifeng;Hengxu competes_with Yaotu
[Hengxu Battery] signed an agreement with [Lifeng Tech]|Hengxu Battery partners_with Lifeng Tech
[Jane Roe:person], chief executive of [Hengxu Battery], said so|Jane Roe executive_of Hengxu Battery
[Hengxu Battery] chairman [Jane Roe:person] said so|Jane Roe executive_of Hengxu Battery
[Hengxu Battery] appointed [Jane Roe:person] as chief financial officer|Jane Roe executive_of Hengxu Battery
[Hengxu Battery] sued [Lifeng Tech] over patents|Hengxu Battery litigates_with Lifeng Tech
[Lifeng Tech] is not a supplier to [Hengxu Battery]|
[澄川电子]以自有资金收购[立峰科技]全部股权|澄川电子 acquires 立峰科技
收购[立峰科技]后，[澄川电子]产能翻番|澄川电子 acquires 立峰科技
尚未被[瑶图集团]合并的[立峰科技]收购了[恒旭材料]|立峰科技 acquires 恒旭材料
[澄川电子]收购[瑶图]所持[立峰科技]8%的股份|澄川电子 acquires 立峰科技 8;瑶图 owns 立峰科技 8
[立峰科技]注册资本1亿元，[澄川电子]持有60%的股权|澄川电子 owns 立峰科技 60
[恒旭材料]的创始人曾任[瑶图集团]的高管|
[澄川电子]获得[立峰科技]储能订单|澄川电子 supplies 立峰科技
[澄川电子]已打入[立峰科技]供应链|澄川电子 supplies 立峰科技
[澄川电子]是全球第三大隔膜供应商，[立峰科技]发布新品|
[瑶图集团]业务多元，也是[立峰科技]的第一大股东|瑶图集团 owns 立峰科技
[隔膜:product]的直接材料以[聚乙烯:material]为主|隔膜 uses_material 聚乙烯
[甲川电子]长期为[乙丰科技]配套隔膜|甲川电子 supplies 乙丰科技
[乙丰科技]的隔膜由[甲川电子]独家供应|甲川电子 supplies 乙丰科技
[乙丰科技]所需隔膜主要来自[甲川电子]|甲川电子 supplies 乙丰科技
[甲川电子]向[乙丰科技]批量交付隔膜|甲川电子 supplies 乙丰科技
[甲川电子]与[乙丰科技]签订隔膜长单，约定三年供货量|甲川电子 partners_with 乙丰科技
[乙丰科技]选定[甲川电子]作为隔膜供应商|甲川电子 supplies 乙丰科技
[乙丰科技]将[甲川电子]纳入合格供应商名录|甲川电子 supplies 乙丰科技
[甲川电子]通过[乙丰科技]认证，成为其隔膜供应商|甲川电子 supplies 乙丰科技
[甲川电子]的下游客户有[乙丰科技]、[丙山动力]|乙丰科技 customer_of 甲川电子;丙山动力 customer_of 甲川电子
[乙丰科技]贡献了[甲川电子]三成收入，是其最大客户|乙丰科技 customer_of 甲川电子
[乙丰科技]与[甲川电子]存在采购关系|
[甲川电子]的供应商由[丁河材料]变更为[乙丰科技]|乙丰科技 supplies 甲川电子
[甲川电子]对[乙丰科技]持股35%|甲川电子 owns 乙丰科技 35
[乙丰科技]的第一大股东是[甲川电子]，持有28.6%股份|甲川电子 owns 乙丰科技 28.6
[甲川电子]通过[丁河材料]间接控制[乙丰科技]|甲川电子 controls 乙丰科技
[乙丰科技]由[甲川电子]与[丁河材料]分别持股60%和40%|甲川电子 owns 乙丰科技 60;丁河材料 owns 乙丰科技 40
[乙丰科技]65%股权归[甲川电子]所有|甲川电子 owns 乙丰科技 65
[赵明远:person]为[甲川电子]实际控制人|赵明远 controls 甲川电子
[甲川电子]实控人[赵明远:person]持有公司31%股份|赵明远 controls 甲川电子;赵明远 owns 甲川电子 31
[乙丰科技]系[甲川电子]持股51%的控股子公司|乙丰科技 subsidiary_of 甲川电子 51
[乙丰科技]为[甲川电子]的联营企业|甲川电子 owns 乙丰科技
[甲川电子]为子公司[乙丰科技]的贷款提供连带责任保证|甲川电子 guarantees 乙丰科技;乙丰科技 subsidiary_of 甲川电子
[甲川电子]同意为[乙丰科技]不超过6亿元的授信提供担保|甲川电子 guarantees 乙丰科技 6
[乙丰科技]发行的债券由[甲川电子]提供全额不可撤销担保|甲川电子 guarantees 乙丰科技
[甲川电子]替[乙丰科技]作保|甲川电子 guarantees 乙丰科技
[甲川电子]系[乙丰科技]借款的担保方|甲川电子 guarantees 乙丰科技
[甲川电子]累计对外担保12亿元，被担保方为[乙丰科技]|甲川电子 guarantees 乙丰科技 12
[赵明远:person]任[甲川电子]董事长|赵明远 executive_of 甲川电子
[甲川电子]现任董事长为[赵明远:person]|赵明远 executive_of 甲川电子
执掌[甲川电子]的是董事长[赵明远:person]|赵明远 executive_of 甲川电子
[赵明远:person]当选[甲川电子]新一任董事长|赵明远 executive_of 甲川电子
[甲川电子]任命[赵明远:person]为首席执行官|赵明远 executive_of 甲川电子
[赵明远:person]卸任[甲川电子]董事长，[钱知秋:person]接棒|
[甲川电子]与[乙丰科技]互为竞争对手|甲川电子 competes_with 乙丰科技
[甲川电子]的主要对手是[乙丰科技]和[丙山动力]|甲川电子 competes_with 乙丰科技;甲川电子 competes_with 丙山动力
[甲川电子]面临来自[乙丰科技]的竞争|甲川电子 competes_with 乙丰科技
隔膜领域，[甲川电子]与[乙丰科技]正面交锋|甲川电子 competes_with 乙丰科技
可比公司包括[乙丰科技]、[丙山动力]|
[隔膜:product]以[聚乙烯:material]为主要原料|隔膜 uses_material 聚乙烯
[甲川电子]生产[隔膜:product]需要大量[聚乙烯:material]|甲川电子 produces 隔膜
[聚乙烯:material]是[甲川电子]的核心原料|甲川电子 uses_material 聚乙烯
[甲川电子]在[宁州:region]设有生产基地|甲川电子 located_in 宁州
[甲川电子]的工厂位于[宁州:region]|甲川电子 located_in 宁州
[甲川电子][宁州:region]工厂投产|
[工信部:regulator]近日出台《[固链方案:policy]》|工信部 issued_policy 固链方案
《[固链方案:policy]》的发文机关为[工信部:regulator]|工信部 issued_policy 固链方案
[信衡资信:rating_agency]下调[甲川电子]主体信用等级|信衡资信 rates 甲川电子
[甲川电子]的主体评级被[信衡资信:rating_agency]下调至AA-|信衡资信 rates 甲川电子
[信衡资信:rating_agency]维持[甲川电子]AA+评级|信衡资信 rates 甲川电子
[甲川电子]完成对[乙丰科技]的收购|甲川电子 acquires 乙丰科技
[甲川电子]斥资8亿元拿下[乙丰科技]|甲川电子 acquires 乙丰科技
[甲川电子]参股[乙丰科技]|甲川电子 owns 乙丰科技
[甲川电子]、[乙丰科技]联合中标|
[甲川电子]和[乙丰科技]宣布合并|甲川电子 merges_with 乙丰科技
[Alpha Cells] is the sole supplier of separators to [Beta Motors]|Alpha Cells supplies Beta Motors
[Beta Motors] buys its separators from [Alpha Cells]|Alpha Cells supplies Beta Motors
[Beta Motors], one of the largest customers of [Alpha Cells], cut orders|Beta Motors customer_of Alpha Cells
[Alpha Cells] counts [Beta Motors] among its customers|Beta Motors customer_of Alpha Cells
[Alpha Cells] owns 40% of [Beta Motors]|Alpha Cells owns Beta Motors 40
[Beta Motors] is controlled by [Alpha Cells], which holds 55% of the shares|Alpha Cells controls Beta Motors 55
[Alpha Cells] has guaranteed RMB3.2bn of [Beta Motors] debt|Alpha Cells guarantees Beta Motors 3.2
[Beta Motors]' loans are backed by a guarantee from [Alpha Cells]|Alpha Cells guarantees Beta Motors
[John Zhao:person] was appointed chairman of [Alpha Cells]|John Zhao executive_of Alpha Cells
[Alpha Cells]'s chief financial officer is [John Zhao:person]|John Zhao executive_of Alpha Cells
[Alpha Cells] and [Beta Motors] compete head-on in separators|Alpha Cells competes_with Beta Motors
[Alpha Cells] faces stiff competition from [Beta Motors]|Alpha Cells competes_with Beta Motors
[Alpha Cells] has agreed to buy [Beta Motors]|Alpha Cells acquires Beta Motors planned
[Alpha Cells] and [Beta Motors] formed a joint venture|Alpha Cells partners_with Beta Motors
[Alpha Cells] sold its 30% stake in [Beta Motors]|Alpha Cells reduces_holding Beta Motors 30
[Alpha Cells] raised its stake in [Beta Motors] to 30%|Alpha Cells increases_holding Beta Motors 30
[Polyethylene:material] is the main raw material of [Alpha Cells]|Alpha Cells uses_material Polyethylene
[Alpha Cells] is based in [Ningzhou:region]|Alpha Cells located_in Ningzhou
[Xinheng Ratings:rating_agency] downgraded [Alpha Cells] to AA-|Xinheng Ratings rates Alpha Cells
[甲川]与[乙丰]签署股权转让协议|甲川 partners_with 乙丰
[甲川电子]拟通过发行股份购买[丙山动力]100%股权|甲川电子 acquires 丙山动力 100 planned
[甲川电子]董事会否决了收购[丙山动力]的议案|
[甲川电子]与[乙丰科技]的合作已终止|
[甲川电子]否认与[乙丰科技]存在合作关系|
若[甲川电子]收购[乙丰科技]，份额将提升|甲川电子 acquires 乙丰科技 planned
截至2024年末，[丁河]、[赵明远:person]分别持有[甲川]30.2%、5.1%的股份|丁河 owns 甲川 30.2;赵明远 owns 甲川 5.1
[甲川电子]持有[乙丰科技]30%股权、[丙山动力]20%股权|甲川电子 owns 乙丰科技 30;甲川电子 owns 丙山动力 20
[甲川电子]（持股51%）与[乙丰科技]（持股49%）合资设立[丙山动力]|甲川电子 founds 丙山动力;乙丰科技 founds 丙山动力
[甲川电子]旗下拥有[乙丰科技]、[丙山动力]等多家子公司|乙丰科技 subsidiary_of 甲川电子;丙山动力 subsidiary_of 甲川电子
[甲川电子]全资拥有[乙丰科技]|甲川电子 owns 乙丰科技 100
[甲川电子]将[乙丰科技]出售给[丙山动力]|甲川电子 transfers_to 丙山动力
[甲川电子]向[乙丰科技]转让[丙山动力]30%股权|甲川电子 transfers_to 乙丰科技 30;甲川电子 reduces_holding 丙山动力 30
[甲川电子]从[乙丰科技]受让[丙山动力]30%股权|甲川电子 increases_holding 丙山动力 30
[甲川电子]成为[乙丰科技]的控股股东|甲川电子 controls 乙丰科技
[甲川电子]取得[乙丰科技]控制权|甲川电子 controls 乙丰科技
[乙丰科技]的实际控制人由[赵明远:person]变更为[钱知秋:person]|钱知秋 controls 乙丰科技
[甲川电子]引入战略投资者[乙丰科技]|乙丰科技 invests_in 甲川电子
[乙丰科技]领投[甲川电子]B轮融资|乙丰科技 invests_in 甲川电子
[甲川电子]向[乙丰科技]定向增发股份|乙丰科技 invests_in 甲川电子
[乙丰科技]认购[甲川电子]定增股份|乙丰科技 invests_in 甲川电子
[甲川电子]被[乙丰科技]起诉|乙丰科技 litigates_with 甲川电子
[甲川电子]诉[乙丰科技]专利侵权案胜诉|甲川电子 litigates_with 乙丰科技
法院受理[甲川电子]与[乙丰科技]买卖合同纠纷案|甲川电子 litigates_with 乙丰科技
[甲川电子]正与[乙丰科技]洽谈收购事宜|甲川电子 negotiates_with 乙丰科技
[甲川电子]携手[乙丰科技]开发固态电池|甲川电子 partners_with 乙丰科技
[甲川电子]联合[乙丰科技]、[丙山动力]发布新品|甲川电子 partners_with 乙丰科技;甲川电子 partners_with 丙山动力
[甲川电子]与[乙丰科技]达成战略合作，共同研发隔膜|甲川电子 partners_with 乙丰科技
[甲川电子]尚欠[乙丰科技]货款3亿元|乙丰科技 lends_to 甲川电子 3
[甲川电子]向[丁河银行]申请贷款2亿元|丁河银行 lends_to 甲川电子 2
[丁河银行]给予[甲川电子]授信10亿元|丁河银行 lends_to 甲川电子 10
[甲川电子]获[丁河银行]10亿元授信|
[甲川电子]发起设立产业基金，[乙丰科技]参与|
[甲川]首席执行官[赵明远:person]、首席财务官[钱知秋:person]出席|赵明远 executive_of 甲川;钱知秋 executive_of 甲川
[赵明远:person]，[甲川电子]创始人兼董事长|赵明远 executive_of 甲川电子;赵明远 founds 甲川电子
[甲川电子]原董事长[赵明远:person]被调查|
[乙丰科技]董事长[赵明远:person]到访[甲川电子]|赵明远 executive_of 乙丰科技
[赵明远:person]同时兼任[甲川电子]和[乙丰科技]独立董事|赵明远 executive_of 甲川电子;赵明远 executive_of 乙丰科技
[证监会:regulator]核准[甲川电子]增发|证监会 regulates 甲川电子
[上交所:exchange]向[甲川电子]下发问询函|上交所 regulates 甲川电子
[甲川电子]因信息披露违规被[证监会:regulator]立案调查|证监会 regulates 甲川电子
[通禄证券:broker]维持[甲川电子]“买入”评级|通禄证券 rates 甲川电子
[通禄证券:broker]认为，[甲川电子]盈利拐点已现|通禄证券 rates 甲川电子
[甲川电子]入选[沪深300:index]|甲川电子 belongs_to_index 沪深300
[甲川电子]深耕[电池:industry]行业多年|甲川电子 belongs_to_industry 电池
[甲川电子]是[储能:concept]概念股|甲川电子 belongs_to_concept 储能
[甲川电子]主要产品包括[隔膜:product]和[电解液:product]|甲川电子 produces 隔膜;甲川电子 produces 电解液
[隔膜:product]由[甲川电子]生产|甲川电子 produces 隔膜
"""


def reading(marked: str) -> Reading:
    """[name] and [name:kind] are parties."""
    text, names, at = "", [], 0
    for match in re.finditer(r"\[([^\]:]+)(?::(\w+))?\]", marked):
        text += marked[at : match.start()]
        party = Party(match[1], surface_of(match[1]), match[2] or "company")
        names.append(Named(len(text), len(text) + len(match[1]), party))
        text, at = text + match[1], match.end()
    return Reading(0, 1, MappedText(text + marked[at:]), tuple(names), "", "body")


def links(marked: str, subject: Party | None = None) -> list[Fact]:
    return find_links([reading(marked)], subject, Metadata(), SCHEMA)


def told(fact: Fact) -> tuple[str, str, str, float | None, bool]:
    assert fact.object is not None
    one, other = fact.subject.name, fact.object.name
    if fact.relation in SYMMETRIC:
        one, other = sorted((one, other))
    return one, fact.relation, other, fact.value, fact.note == "planned"


def cases() -> Iterator[tuple[str, set[tuple[str, str, str, float | None, bool]]]]:
    for line in filter(None, STATED.split("\n")):
        sentence, _, stated = line.partition("|")
        wanted = set()
        for statement in filter(None, stated.split(";")):
            parts = re.fullmatch(r"(.+?) ([a-z_]+) (.+?)(?: ([\d.]+))?( planned)?", statement)
            assert parts is not None
            one, other = sorted((parts[1], parts[3])) if parts[2] in SYMMETRIC else (parts[1], parts[3])
            value = float(parts[4]) if parts[4] else None
            wanted.add((one, parts[2], other, value, bool(parts[5])))
        yield sentence, wanted


@pytest.mark.parametrize(("sentence", "wanted"), list(cases()), ids=lambda case: case if isinstance(case, str) else "")
def test_a_sentence_states_these_links_and_no_others(
    sentence: str, wanted: set[tuple[str, str, str, float | None, bool]]
) -> None:
    assert {told(fact) for fact in links(sentence)} == wanted


@pytest.mark.parametrize(
    ("sentence", "stated"),
    [
        ("公司向[立峰科技]采购隔膜", ("立峰科技", "supplies", "澄川电子")),
        ("公司控股股东为[瑶图集团]", ("瑶图集团", "controls", "澄川电子")),
        ("[瑶图集团]为公司提供担保", ("瑶图集团", "guarantees", "澄川电子")),
        ("The company is supplied by [Lifeng Tech]", ("Lifeng Tech", "supplies", "澄川电子")),
    ],
)
def test_the_company_is_the_one_that_the_document_is_about(sentence: str, stated: tuple[str, str, str]) -> None:
    assert [told(fact)[:3] for fact in links(sentence, COVERED)] == [stated]


def test_a_longer_word_that_ends_in_company_is_nobody() -> None:
    assert links("子公司向[立峰科技]采购隔膜", COVERED) == []


def test_the_former_and_the_latter_are_those_named_before() -> None:
    facts = {told(fact)[:3] for fact in links("[澄川电子]与[立峰科技]签署框架协议，由后者负责供货")}
    assert ("立峰科技", "supplies", "澄川电子") in facts


def test_what_is_planned_is_trusted_less_than_what_is_done() -> None:
    (done,), (planned,) = links("[澄川电子]收购[立峰科技]"), links("[澄川电子]拟收购[立峰科技]")
    assert planned.confidence < done.confidence


def test_the_only_date_of_a_sentence_is_when_it_begins_to_hold() -> None:
    (fact,) = links("2024年3月5日，[澄川电子]收购[立峰科技]")
    assert fact.valid_from == end_of_day(date(2024, 3, 5))


def test_an_amount_keeps_its_unit() -> None:
    (fact,) = links("[澄川电子]为[立峰科技]提供担保，担保金额8,000万元")
    assert (fact.value, fact.unit) == (8000.0, "万元")


def test_the_text_of_an_office_is_the_office() -> None:
    (fact,) = links("[澄川电子]副董事长[沈若水:person]表示，订单充足")
    assert (fact.relation, fact.text) == ("executive_of", "副董事长")


def test_letters_of_the_private_area_are_no_parties() -> None:
    assert [told(fact)[:3] for fact in links("\uf06c\ue000[澄川电子]收购\ue001[立峰科技]")] == [
        ("澄川电子", "acquires", "立峰科技")
    ]


def test_evidence_is_the_sentence() -> None:
    sentence = "[澄川电子]收购[立峰科技]60%股权"
    (fact,) = links(sentence)
    assert (fact.evidence.start, fact.evidence.end) == (0, len(reading(sentence).text))


@pytest.mark.parametrize("rating", ["将[立峰科技]的评级由“增持”上调至“买入”", "维持[立峰科技]“增持”评级"])
def test_a_rating_that_reads_like_a_purchase_is_none(rating: str) -> None:
    assert "increases_holding" not in {fact.relation for fact in links(f"[通禄证券:broker]{rating}")}


@pytest.mark.parametrize(
    "row", ["[霜桥证券:broker] 评级 [海伦:name]", "2025-03-04 [霜桥证券:broker] 评级 买入 [海伦:name]"]
)
def test_a_row_of_a_list_of_ratings_rates_nobody_that_stands_in_it(row: str) -> None:
    assert links(row) == []
    assert [told(fact)[:3] for fact in links("[霜桥证券:broker] 维持 [立峰科技] 买入评级")] == [
        ("霜桥证券", "rates", "立峰科技")
    ]


@given(
    st.lists(
        st.one_of(
            st.text(alphabet="由被向为与和的，。公司持有35%股权收购担保", max_size=8), st.just("[甲]"), st.just("[乙]")
        )
    )
)
def test_any_text_reads_without_failing_and_links_two_parties(pieces: list[str]) -> None:
    for fact in links("".join(pieces), COVERED):
        assert fact.object is not None
        assert fact.subject != fact.object
        assert 0 < fact.confidence <= 1
