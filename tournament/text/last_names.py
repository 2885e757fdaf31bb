import re
import unicodedata
from typing import NamedTuple

from tournament.text.clean import fold_name
from tournament.text.display_names import SUFFIXES

PARTICLES = frozenset(
    "van de den der ter ten te 't von vom zu zum zur af av da das do dos du des del della delle dello di "
    "la le las lo los el al bin ibn bint ben abu st saint san santa".split()
)
JOINING = frozenset("y i e".split())  # "Ortega y Gasset"
# Family names that are written first, the most common in front, as people write them in Latin letters.
FAMILY_FIRST = tuple(
    "kim wang nguyen li lee zhang park tran sato chen liu suzuki choi yang le huang takahashi pham tanaka "
    "jung jeong wu zhao hoang huynh zhou watanabe kang ito cho xu phan sun vu yamamoto nakamura ma "
    "kobayashi vo kato yoshida yamada dang sasaki bui yamaguchi matsumoto inoue kimura hayashi shimizu "
    "saito zhu yoon yun hu guo jang he lim lin luo gao han zheng oh liang seo xie shin kwon tang hwang "
    "ahn song deng ryu hong feng jeon chan wong cheung lau leung ng kwok do ho ngo duong ly moon bae baek "
    "heo yoo nam mori abe ikeda hashimoto ishikawa ogawa goto okada hasegawa fujita maeda kondo cao zeng "
    "peng xiao cai pan tian dong yuan yu ye du wei su jiang cheng ding ren lu yao shen zhong tan fan jin "
    "shi liao jia xia fu fang zou xiong bai meng qin qiu yin xue yan duan hou lei tao hao gong shao qian "
    "chang chiu chu hsu hsieh lai tsai tseng ishii nakajima sakamoto endo aoki fujii nishimura fukuda ota "
    "miura okamoto matsuda nakagawa nakano harada ono tamura takeuchi kaneko wada nakayama ishida ueda "
    "morita hara shibata sakai kudo yokoyama miyazaki xi miyamoto uchida takagi ando taniguchi otsuka "
    "imai kono fujiwara mak yip".split()
)
_RANK = {name: place for place, name in enumerate(FAMILY_FIRST)}
# Those that are first names elsewhere: they need a given name behind them that is not.
_ALSO_GIVEN = frozenset(
    "kim lee le do ho lin song jin ren lu an yang han sun long lai park su tan jung".split()
)
_SYLLABLES = re.compile(
    r"(?:(?:[zcs]h|ng|nh|kh|ph|th|tr|ts|[kghbpmrn]y|kk|[bcdfghjklmnpqrstvwxyz])?[aeiouy]{1,3}(?:ng|nh|n|m|k|t|p|l)?){1,4}"
)
_UNMISTAKABLE = re.compile(
    r"(?:^|[- ])(?:x|q|zh)|ng(?:$|[- ])|eo|eu|hy|woo|soo|joo|jae|hwa|kyu|tsu|ryo|ichi|suke$|taro$|uki$"
)
_COMPOUND = frozenset(
    "欧阳 歐陽 司马 司馬 诸葛 諸葛 上官 司徒 东方 東方 皇甫 尉迟 公孙 公孫 令狐 慕容 "
    "남궁 황보 제갈 사공 선우 서문 독고".split()
)
_SPANISH = frozenset(
    "garcia lopez martinez sanchez perez gomez gonzalez rodriguez fernandez alvarez ruiz diaz moreno "
    "munoz romero alonso gutierrez navarro torres dominguez vazquez ramos gil ramirez serrano blanco "
    "molina morales suarez ortega delgado castro ortiz rubio marin sanz iglesias medina garrido cortes "
    "castillo santos guerrero reyes cruz flores rivera vargas herrera mendoza rojas".split()
)


class Proposal(NamedTuple):
    """A proposed last name. `choices`: it and others; `is_doubtful`: whether someone should look at it."""

    last_name: str
    is_doubtful: bool
    choices: tuple[str, ...]


def propose_last_name(name: str) -> Proposal:
    """Propose the last name, a part of the name; a single name is its own last name."""
    last, is_doubtful = _propose(name)
    words = _words_before_suffix(name)
    ends = [" ".join(words[place:]) for place in range(len(words) - 1, 0, -1)]
    starts = [" ".join(words[:count]) for count in range(1, min(len(words), 3))]
    return Proposal(last, is_doubtful, tuple(dict.fromkeys([last, *ends, *starts, name])))


def is_confirmed(name: str, last_name: str) -> bool:
    whole = f" {last_name} " in f" {name.replace(',', ' , ')} "
    return bool(last_name) and (whole or last_name == name or _is_start(name, last_name))


def _is_start(name: str, last_name: str) -> bool:
    return name.startswith(last_name) and _is_east_asian(name)


def _propose(name: str) -> tuple[str, bool]:
    before, comma, after = (part.strip() for part in name.partition(","))
    if comma and before and after and after.casefold().rstrip(".") not in SUFFIXES:
        return before, False
    words = _words_before_suffix(name)
    if _is_east_asian(name):
        return (words[0], False) if len(words) > 1 else (_family_of(name), False)
    if len(words) < 2 or not any(map(str.isalpha, words[-1])):
        return name, False
    capitals = [word for word in words if len(word) > 2 and word.isupper()]
    if capitals and len(capitals) < len(words) and (run := " ".join(capitals)) in name:
        return run, False  # "Ada RUIZ", "TANAKA Hiroshi"
    if family := _family_first(words):
        return family, True
    start = len(words) - 1
    while start > 1 and words[start - 1].casefold() in PARTICLES | JOINING:
        start -= 2 if words[start - 1].casefold() in JOINING and start > 2 else 1
    if start > 1 and start == len(words) - 1 and fold_name(words[start - 1]) in _SPANISH:
        return " ".join(words[start - 1 :]), True
    return " ".join(words[start:]), len(words) - start > 3 or _is_family(words[0])


def _words_before_suffix(name: str) -> list[str]:
    words = name.replace(",", " ").split()
    while len(words) > 1 and words[-1].casefold().rstrip(".") in SUFFIXES:
        words.pop()
    return words


def _is_family(word: str) -> bool:
    return fold_name(word) in _RANK


def _family_first(words: list[str]) -> str:
    first, last = fold_name(words[0]), fold_name(words[-1])
    given = " ".join(map(fold_name, words[1:])).replace("-", " ")
    if first not in _RANK or not all(map(_SYLLABLES.fullmatch, given.split())):
        return ""
    if last in _RANK and len(words) == 2:  # "Wang Wei", "Wei Wang"
        return "" if first in _ALSO_GIVEN or _RANK[last] < _RANK[first] else words[0]
    given = " ".join(map(fold_name, words[1:]))
    if first in _ALSO_GIVEN and not (_UNMISTAKABLE.search(given) or "-" in given or len(words) > 2):
        return ""
    return words[0]


def _is_east_asian(name: str) -> bool:
    """Whether a name begins in Chinese characters, kana or Hangul, and so with the family name."""
    kind = unicodedata.name(name[:1] or " ", "")
    return kind.startswith(("CJK UNIFIED", "CJK COMPATIBILITY", "HIRAGANA", "KATAKANA LETTER", "HANGUL"))


def _family_of(name: str) -> str:
    if name[:2] in _COMPOUND or len(name) > 3:
        return name[:2]
    return name[:1] if len(name) > 1 else name
