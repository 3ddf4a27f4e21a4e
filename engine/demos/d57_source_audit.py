"""D57: what only sources can say, as a dated and typed table whose order and consistency are checked.

Nothing here is derived. Each claim about who came first, or about what a paper says where, is a row with its
source; the checks ask whether the rows fit each other: the month in an arXiv number against the date, one date
against another, supporting against opposing evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.demonstration import Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Bar, Bars, Figure
from engine.proof.step import Step, cited
from engine.text import Text, same

Theme = Literal["generations", "attention", "components", "words", "pretraining", "decoders", "vision"]


@dataclass(frozen=True)
class Dated:
    """A source: first public month (0 where only the year is known), and its arXiv number if it has one."""

    name: str
    year: int
    month: int
    themes: tuple[Theme, ...]
    arxiv: str = ""

    @property
    def when(self) -> float:
        """Years, a month being 1/12; the middle of the year where the month is not known."""
        return self.year + (self.month - 1 if self.month else 6) / 12


SOURCES = (
    Dated("Jordan: serial order", 1986, 5, ("generations",)),
    Dated("LeCun et al.: zip codes", 1989, 12, ("generations",)),
    Dated("Elman: finding structure in time", 1990, 0, ("generations",)),
    Dated("Deerwester et al.: LSA", 1990, 0, ("words",)),
    Dated("Brown et al.: word classes", 1992, 0, ("words",)),
    Dated("Hochreiter & Schmidhuber: LSTM", 1997, 11, ("generations",)),
    Dated("Bengio et al.: neural LM", 2003, 2, ("words", "components")),
    Dated("Larochelle & Hinton: glimpses", 2010, 12, ("attention",)),
    Dated("Mikolov et al.: word2vec", 2013, 1, ("words",), "1301.3781"),
    Dated("Graves: soft window", 2013, 8, ("attention",), "1308.0850"),
    Dated("Cho et al.: GRU", 2014, 6, ("generations",), "1406.1078"),
    Dated("Mnih et al.: visual attention", 2014, 6, ("attention",), "1406.6247"),
    Dated("Bahdanau et al.: attention in NMT", 2014, 9, ("attention", "components"), "1409.0473"),
    Dated("Weston et al.: memory networks", 2014, 10, ("attention",), "1410.3916"),
    Dated("Graves et al.: neural Turing machine", 2014, 10, ("attention",), "1410.5401"),
    Dated("He et al.: residual learning", 2015, 12, ("components",), "1512.03385"),
    Dated("Cheng et al.: LSTM-network", 2016, 1, ("attention", "components"), "1601.06733"),
    Dated("Parikh et al.: decomposable attention", 2016, 6, ("attention",), "1606.01933"),
    Dated("Ba et al.: layer normalization", 2016, 7, ("components",), "1607.06450"),
    Dated("van den Oord et al.: WaveNet", 2016, 9, ("generations",), "1609.03499"),
    Dated("Lin et al.: self-attentive embedding", 2017, 3, ("attention",), "1703.03130"),
    Dated("Gehring et al.: ConvS2S", 2017, 5, ("generations",), "1705.03122"),
    Dated("Vaswani et al.: Transformer", 2017, 6, ("generations", "attention", "components"), "1706.03762"),
    Dated("Bai et al.: TCN", 2018, 3, ("generations",), "1803.01271"),
    Dated("Radford et al.: GPT", 2018, 6, ("pretraining", "decoders")),
    Dated("Devlin et al.: BERT", 2018, 10, ("pretraining",), "1810.04805"),
    Dated("Joshi et al.: SpanBERT", 2019, 7, ("pretraining",), "1907.10529"),
    Dated("Liu et al.: RoBERTa", 2019, 7, ("pretraining",), "1907.11692"),
    Dated("Lan et al.: ALBERT", 2019, 9, ("pretraining",), "1909.11942"),
    Dated("Raffel et al.: T5", 2019, 10, ("pretraining", "decoders"), "1910.10683"),
    Dated("Brown et al.: GPT-3", 2020, 5, ("pretraining", "decoders"), "2005.14165"),
    Dated("Dosovitskiy et al.: ViT", 2020, 10, ("vision",), "2010.11929"),
    Dated("Touvron et al.: DeiT", 2020, 12, ("vision",), "2012.12877"),
    Dated("Steiner et al.: how to train your ViT", 2021, 6, ("vision",), "2106.10270"),
    Dated("Tay et al.: UL2", 2022, 5, ("decoders",), "2205.05131"),
    Dated("Zeng et al.: GLM-130B", 2022, 10, ("decoders",), "2210.02414"),
    Dated("Touvron et al.: LLaMA", 2023, 2, ("decoders",), "2302.13971"),
    Dated("OpenAI: GPT-4 report", 2023, 3, ("decoders",), "2303.08774"),
    Dated("Gu & Dao: Mamba", 2023, 12, ("decoders",), "2312.00752"),
    Dated("Lieber et al.: Jamba", 2024, 3, ("decoders",), "2403.19887"),
)

USUAL_CHAIN = (
    "Elman: finding structure in time",
    "Hochreiter & Schmidhuber: LSTM",
    "Cho et al.: GRU",
    "Bai et al.: TCN",
    "Vaswani et al.: Transformer",
)
"""The order in which study articles tell the story."""

SECTIONS = {
    "encoder and decoder stacks": "3.1",
    "attention": "3.2",
    "feed-forward networks": "3.3",
    "embeddings and softmax": "3.4",
    "positional encoding": "3.5",
}
"""Vaswani et al. 2017, the headings of section 3."""

BATCH_TOKENS = {"Transformer": 25_000, "RoBERTa": 8_000 * 512, "GPT-3 175B": 3_200_000, "Llama 2": 4_000_000}
"""Tokens in one step: Vaswani et al. 2017, section 5.1 (source side); Liu et al. 2019, section 4 (8K sequences of at
most 512); Brown et al. 2020, table 2.1; Touvron et al. 2023b, section 2.2."""

ARCHITECTURE_PUBLISHED = {
    "GPT-2": True, "GPT-3": True, "GPT-4": False, "Claude": False, "LLaMA": True, "Qwen": True,
}  # fmt: skip
"""Whether a report discloses the architecture; the GPT-4 report says that it does not (section 2)."""

NOT_DECODER_ONLY = (
    "Raffel et al.: T5",
    "Tay et al.: UL2",
    "Zeng et al.: GLM-130B",
    "Gu & Dao: Mamba",
    "Lieber et al.: Jamba",
)

EVIDENCE: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "next-sentence prediction is of no use": (
        ("Liu et al. 2019, table 2", "Joshi et al. 2020", "Lan et al. 2020, table 5"),
        ("Devlin et al. 2019, table 5",),
    ),
    "ViT needs very much data": (
        ("Dosovitskiy et al. 2021, section 4.3",),
        ("Touvron et al. 2021", "Steiner et al. 2022"),
    ),
    "CNN layers learn a hierarchy from edges to objects": (
        ("Zeiler & Fergus 2014",),
        ("Geirhos et al. 2019",),
    ),
    "LSTM does better on small data": (
        ("Cahuantzi et al. 2021 (complex sequences)",),
        ("Chung et al. 2014",),
    ),
}
"""Contested claims: (sources for, sources against)."""


def arxiv_month(number: str) -> tuple[int, int]:
    """(year, month) in which an arXiv number was given: 1706.03762 is June 2017."""
    return 2000 + int(number[:2]), int(number[2:4])


def found(name: str) -> Dated:
    return next(source for source in SOURCES if source.name == name)


def inversions(dates: Sequence[float]) -> int:
    """Pairs told in the wrong order."""
    return sum(later < earlier for i, earlier in enumerate(dates) for later in dates[i + 1 :])


def derive() -> tuple[Step, ...]:
    return (
        cited(
            "transformer",
            r"\text{Transformer}: 2017",
            Text(
                "a sequence model for translation first, a general backbone later",
                "最初是翻译用的序列模型，后来成为通用骨干",
            ),
            "Vaswani et al. 2017, arXiv 1706.03762",
        ),
        cited(
            "usual-chain",
            r"\text{TCN } 2018 > \text{Transformer } 2017",
            Text(
                "the usual chain RNN, LSTM, GRU, TCN, Transformer is an order of explanation, not of time",
                "常见的 RNN、LSTM、GRU、TCN、Transformer 是讲解的次序，不是时间的次序",
            ),
            "Bai et al. 2018; Vaswani et al. 2017",
        ),
        cited(
            "contemporaries",
            r"\text{CNN } 1989, \quad \text{RNN } 1986, 1990",
            Text("convolutional and recurrent networks are contemporaries", "卷积网络与循环网络是同时代的"),
            "LeCun et al. 1989; Jordan 1986; Elman 1990",
        ),
        cited(
            "attention-before",
            r"\text{attention} \leq 2014",
            Text(
                "Bahdanau et al. brought attention to translation; glimpses and soft windows were there before",
                "Bahdanau 等人把注意力带进翻译；此前已有 glimpse 与软窗口",
            ),
            "Larochelle & Hinton 2010; Graves 2013; Mnih et al. 2014",
        ),
        cited(
            "parts-are-older",
            r"\text{parts} < 2017",
            Text(
                "attention, residuals, layer norm and embeddings all predate the Transformer",
                "注意力、残差、层归一化与词嵌入都早于 Transformer",
            ),
            "Bahdanau et al. 2014; He et al. 2015; Ba et al. 2016; Bengio et al. 2003",
        ),
        cited(
            "section-map",
            r"3.2\ \text{attention}, \quad 3.3\ \text{feed-forward}, \quad 3.5\ \text{positional encoding}",
            Text(
                "section 3.3 is the feed-forward network, not the positions",
                "第 3.3 节是前馈网络，不是位置编码",
            ),
            "Vaswani et al. 2017, section 3",
        ),
        cited(
            "batches",
            r"\text{batch} \geq 25\,000\ \text{tokens}",
            Text(
                "small per device, large in all: the batches of well-known models, in tokens",
                "单个设备上小，合起来大：知名模型的批量，以词元计",
            ),
            "Vaswani et al. 2017, section 5.1; Liu et al. 2019; Brown et al. 2020, table 2.1; Touvron et al. 2023b",
        ),
        cited(
            "dense-words",
            r"\text{LSA } 1990, \quad \text{neural LM } 2003, \quad \text{word2vec } 2013",
            Text(
                "dense word vectors were in use long before word2vec", "稠密词向量远在 word2vec 之前就已使用"
            ),
            "Deerwester et al. 1990; Brown et al. 1992; Bengio et al. 2003",
        ),
        cited(
            "undisclosed",
            r"\text{GPT-4}: \text{undisclosed}",
            Text(
                "some models named as decoder-only have no published architecture: say 'believed to be'",
                "有些被称为纯解码器的模型并未公布架构：应当说“据信是”",
            ),
            "OpenAI 2023, section 2",
        ),
        cited(
            "exceptions",
            r"\text{T5}, \text{UL2}, \text{GLM-130B}, \text{Mamba}, \text{Jamba}",
            Text(
                "large language models that are not decoder-only Transformers",
                "不是纯解码器 Transformer 的大语言模型",
            ),
            "Raffel et al. 2020; Tay et al. 2023; Zeng et al. 2023; Gu & Dao 2023; Lieber et al. 2024",
        ),
        cited(
            "next-sentence",
            r"\text{NSP}: \text{contested}",
            Text(
                "one ablation finds next-sentence prediction useful, another finds it harmful",
                "有的消融实验认为下一句预测有用，有的认为有害",
            ),
            "Devlin et al. 2019, table 5; Liu et al. 2019, table 2",
        ),
        cited(
            "vit-data",
            r"\text{ViT data}: \text{contested}",
            Text(
                "ViT needed very much data at first; strong augmentation closes most of the gap",
                "ViT 起初需要大量数据；强数据增强可以弥补大部分差距",
            ),
            "Dosovitskiy et al. 2021; Touvron et al. 2021; Steiner et al. 2022",
        ),
    )


def predict(p: Params) -> Results:
    return {}


def measure(p: Params, rng: np.random.Generator) -> Results:
    bahdanau, transformer = found("Bahdanau et al.: attention in NMT"), found("Vaswani et al.: Transformer")
    parts = [source.when for source in SOURCES if "components" in source.themes and source is not transformer]
    earlier = [
        s for s in SOURCES if "attention" in s.themes and s is not bahdanau and s.when <= bahdanau.when
    ]
    words = [s for s in SOURCES if "words" in s.themes and s.year < 2013]
    return {
        "wrong_months": sum(s.arxiv != "" and arxiv_month(s.arxiv) != (s.year, s.month) for s in SOURCES),
        "doubled": len(SOURCES) - len({source.name for source in SOURCES}),
        "inversions": inversions([found(name).when for name in USUAL_CHAIN]),
        "cnn_rnn_gap": abs(
            found("LeCun et al.: zip codes").year - found("Elman: finding structure in time").year
        ),
        "earlier_attention": len(earlier),
        "newest_part": max(parts),
        "transformer": transformer.when,
        "positional_section": float(SECTIONS["positional encoding"]),
        "sections_in_order": inversions([float(section) for section in SECTIONS.values()]),
        "smallest_batch": min(BATCH_TOKENS.values()),
        "dense_before_word2vec": len(words),
        "undisclosed": sum(not published for published in ARCHITECTURE_PUBLISHED.values()),
        "exceptions": len({found(name).name for name in NOT_DECODER_ONLY}),
        "least_evidence": min(len(side) for sides in EVIDENCE.values() for side in sides),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    table = Text("counted in the table", "在表中逐项清点")

    def counted(
        name: str, en: str, zh: str, bound: float, relation: Literal["=", "<=", ">=", "!="], key: str
    ) -> Check:
        return Check(name, Text(en, zh), bound, float(results[key]), None, table, relation)

    return (
        counted("arxiv-months", "dates that differ from the month in their arXiv number", "与 arXiv 编号中年月不符的日期数", 0, "=", "wrong_months"),
        counted("no-doubles", "sources listed twice", "重复列出的来源数", 0, "=", "doubled"),
        counted("usual-chain-out-of-order", "pairs of the usual chain told against time", "常见链条中与时间次序相反的对数", 1, ">=", "inversions"),
        counted("cnn-rnn-contemporaries", "years between the first CNN and RNN papers listed", "所列最早 CNN 与 RNN 论文相隔的年数", 3, "<=", "cnn_rnn_gap"),
        counted("attention-before-bahdanau", "attention papers not later than Bahdanau et al.", "不晚于 Bahdanau 等人的注意力论文数", 3, ">=", "earlier_attention"),
        Check("newest-part-is-older", Text("the newest part is older than the Transformer", "最新的组件也早于 Transformer"), results["transformer"] - 1 / 24, results["newest_part"], None, table, "<="),
        counted("positions-not-in-3-3", "the section on positional encoding is not 3.3", "位置编码所在的节不是 3.3", 3.3, "!=", "positional_section"),
        counted("sections-in-order", "sections listed out of order", "次序颠倒的节数", 0, "=", "sections_in_order"),
        counted("batches-are-large", "tokens in the smallest batch listed", "所列最小的批包含的词元数", 25_000, ">=", "smallest_batch"),
        counted("dense-before-word2vec", "dense word representations before 2013", "2013 年之前的稠密词表示数", 3, ">=", "dense_before_word2vec"),
        counted("some-undisclosed", "named models without a published architecture", "未公布架构的知名模型数", 1, ">=", "undisclosed"),
        counted("not-decoder-only", "large models that are not decoder-only", "不是纯解码器的大模型数", 4, ">=", "exceptions"),
        counted("both-sides", "sources on the weaker side of each contested claim", "每个争议说法中证据较少一方的来源数", 1, ">=", "least_evidence"),
    )  # fmt: skip


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    first, last = min(p.first, p.last), max(p.first, p.last)
    shown = [s for s in SOURCES if p.theme in s.themes] or list(SOURCES)
    inside = [source for source in shown if first <= source.year <= last] or shown
    chain = [found(name) for name in USUAL_CHAIN]
    years = Axis(Text("year", "年份"), low=float(min(s.year for s in inside) - 2))
    return (
        Bars(
            Text("Sources by date", "来源的时间线"),
            Text("each bar ends in the year in which the source appeared", "每一条止于该来源发表的年份"),
            years,
            tuple(
                Bar(same(source.name), float(source.year)) for source in sorted(inside, key=lambda s: s.when)
            ),
        ),
        Bars(
            Text("The usual chain, as it is told", "常见的链条，按讲述的次序"),
            Text(
                "told from top to bottom; the last but one is younger than the last",
                "自上而下讲述；倒数第二个比最后一个更晚",
            ),
            Axis(Text("year", "年份"), low=1985.0),
            tuple(
                Bar(same(source.name), float(source.year), "popular" if source is chain[-2] else "measured")
                for source in chain
            ),
        ),
    )


DEMO = Demonstration(
    id="D57",
    name="source-audit",
    title=Text("Sources and their dates", "来源与年代"),
    shows=Text(
        "what no experiment here can decide stands in a dated table with its sources; order and consistency are checked",
        "这里的实验无法判定的说法，列成带日期和来源的表；检查其次序与一致性",
    ),
    kills=Text(
        "“RNN, CNN, Transformer are three generations”, “section 3.3 covers positions”, “all large models are decoder-only”",
        "“RNN、CNN、Transformer 是三代模型”“第 3.3 节讲位置编码”“大模型都只有解码器”",
    ),
    parameters=(
        Parameter(
            "theme", r"\text{theme}", Text("which sources to show", "显示哪些来源"), "generations", kind="choice",
            choices=(
                Choice("generations", Text("generations of models", "模型的世代")),
                Choice("attention", Text("attention", "注意力")),
                Choice("components", Text("parts of the Transformer", "Transformer 的组件")),
                Choice("words", Text("word vectors", "词向量")),
                Choice("pretraining", Text("pre-training", "预训练")),
                Choice("decoders", Text("decoders and exceptions", "解码器与例外")),
                Choice("vision", Text("vision", "视觉")),
            ),
        ),
        Parameter("first", r"y_0", Text("first year shown", "显示的最早年份"), 1985, 1985, 2024, 1, "int"),
        Parameter("last", r"y_1", Text("last year shown", "显示的最晚年份"), 2024, 1985, 2024, 1, "int"),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "earlier_attention",
        Text("attention papers in the table not later than Bahdanau et al.", "表中不晚于 Bahdanau 等人的注意力论文数"),
        Text("papers", "篇"),
        0.0,
        10.0,
    ),
)  # fmt: skip
