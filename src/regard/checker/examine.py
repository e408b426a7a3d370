"""Examine one implementation under one contract: probe, compare, conclude."""

import time
from dataclasses import replace
from functools import partial

import numpy as np

from regard.checker.choices import asked, said
from regard.checker.conduct import BESIDE, explained
from regard.checker.contract import Broken, Case, Contract, Law, Mistake, WeightMap
from regard.checker.family import (
    FAR,
    TIGHT,
    Exhausted,
    Family,
    Match,
    Member,
    apart,
    computed,
    distance,
    percent,
)
from regard.checker.grammar.confirm import Confirmation
from regard.checker.growth import grown, stayed, stretched
from regard.checker.parting import parted, worst
from regard.checker.process.session import Lost, Raised
from regard.checker.reading.source import Place
from regard.checker.reading.surroundings import looks_around
from regard.checker.report.verdict import Finding, Picture, State, Verdict, manner, titled
from regard.checker.subject import Subject
from regard.checker.trouble import short, stopped, watching
from regard.checker.workbench import Unfit, Workbench

FATAL = (
    "raises",
    "too-slow",
    "crashed",
    "exited",
    "too-much-memory",
    "too-many-processes",
    "too-many-crashes",
    "wrong-shape",
    "wrong-answer",
)
"Ways to stop that are the code's own fault."
SERIOUS = ("mistake", "unknown", "stopped")
RUNS = Law(name="runs", says="every valid input is answered", test=lambda subject, rng: None)


class Examination:
    """Collects what is found about one member."""

    def __init__(self, contract: Contract, bench: Workbench, seed: int) -> None:
        self.contract, self.bench, self.rng = asked(contract, bench), bench, np.random.default_rng(seed)
        self.whole, self.seed, self.said = contract, seed, dict(bench.said)
        self.findings: list[Finding] = []
        self.laws: dict[str, bool] = {}
        self.broken: list[tuple[Law, Broken]] = []
        self.subject: Subject | None = None
        self.match: Match | None = None
        self.picture: Picture | None = None
        self.readable: WeightMap | None = None
        self.gap, self.start, self.first = np.inf, time.monotonic(), None

    def run(self) -> Verdict:
        """Everything, in order; whatever happens, a verdict."""
        try:
            subject: Subject = self.contract.adapt(self.bench)
            self.subject = subject
            self.hold(subject, early=True)
            self.compare(subject)
            self.hold(subject, early=False)
            if self.match and not self.match.best.mistakes:
                best = self.match.best
                larger = grown(self.contract, subject, best, self.seed)
                larger = larger or stretched(self.contract, subject, best, self.said)
                later = stayed(subject, self.cases[0], self.answers[0])
                # What changes in the course of the examination explains whatever else was found.
                self.broken = later or [*self.broken, *larger]
            self.conclude(subject)
        except (Raised, Lost, Unfit) as trouble:
            self.by_laws()
            self.add(stopped(trouble, self.bench, self.whole, started=self.subject is not None))
        except (
            Exception
        ) as fault:  # a verdict always: what the checker did not foresee is its own fault, and said to be
            words = f"the checker itself failed: {type(fault).__name__}: {short(str(fault))}"
            remedy = "please report it, with the file"
            self.add(Finding(kind="stopped", slug="checker-fault", sentence=words, remedy=remedy))
        return self.verdict()

    def compare(self, subject: Subject) -> None:
        """Hold the answers beside every known program; a case that raises is a finding, and the others go on."""
        answered: list[tuple[Case, np.ndarray]] = []
        first: Raised | None = None
        for case in self.contract.cases(subject, self.rng):
            try:
                answered.append((case, subject.answer(case)))
            except Raised as error:
                first = first or error
                words = f"{case.name}: it raises {error.kind}: {short(error.words)}"
                if case.facts.get("rare") and not self.bench.strict:
                    sentence = f"{case.facts['rare']} ends in {error.kind}"
                    self.add(Finding(kind="weak", slug="rare-raises", sentence=sentence, evidence=(words,)))
                    continue
                self.broken.append((RUNS, Broken(number=np.inf, words=words)))
        if not answered:
            assert first
            raise first
        self.cases, self.answers = [case for case, _ in answered], [answer for _, answer in answered]
        compute = partial(computed, self.contract)
        confirm = Confirmation(self.contract, subject, self.said, compute, distance, TIGHT[subject.kind])
        family = Family(self.contract, subject.frames, self.cases, self.answers, confirm)
        try:
            self.match = family.find(subject.kind)
        except Exhausted:
            sentence = "at these sizes there is no time to compare it with every known program"
            raise Unfit("out-of-time", sentence, "make it smaller: --make 'NAME(…)'") from None
        doubtful = not self.match or (self.match.best.mistakes and subject.facts.get("unsaid"))
        if doubtful and subject.otherwise:
            self.match = family.read_otherwise(subject.otherwise(), subject.kind) or self.match
        self.readable = family.readable()
        self.gap = family.far(Member(self.readable, {})) if self.readable else np.inf
        subject.facts |= self.match.facts if self.match else {}

    def hold(self, subject: Subject, *, early: bool) -> None:
        """Try every law; one whose trial raises or crashes is broken by that, and the next is tried."""
        for law in (law for law in self.contract.laws if law.early is early):
            try:
                broken = law.test(subject, self.rng)
            except Raised as error:
                broken = Broken(number=np.inf, words=f"it raises {error.kind}: {short(error.words)}")
            except Lost as loss:
                if loss.slug in ("too-slow", "out-of-time", "too-many-crashes", "not-installed"):
                    raise
                broken = Broken(number=np.inf, words=loss.sentence)
            self.laws[law.name] = broken is None
            if broken:
                self.broken.append((law, broken))

    def conclude(self, subject: Subject) -> None:
        """Name what the evidence allows, and no more."""
        self.forgive()
        replaced = {slug for _, broken in self.broken for slug in broken.instead}
        family = [slugs for slugs in self.match.slugs if slugs] if self.match else []
        if self.match and family and not all(set(slugs) <= replaced for slugs in family):
            self.name(self.match, family)
        self.by_laws()
        if self.match:
            self.agreed(self.match)
        self.notice(subject)
        self.demand()
        named = {f.slug for f in self.findings if f.kind == "mistake"}
        unnamed = [broken for _, broken in self.broken if not broken.slug]
        if named and (not named <= BESIDE or explained(named, self.gap) or (self.match and not unnamed)):
            return
        if not (self.match or self.broken) and (not self.readable or subject.facts.get("unreadable")):
            raise Unfit(
                "unknown-weight",
                "no reading of its weights makes a layer of these sizes",
                "say which weight is which: --map q=NAME,k=NAME,v=NAME,o=NAME",
            )
        if self.broken or not self.match:
            self.unknown(self.readable)
            self.findings.sort(key=lambda finding: finding.kind != "unknown")
        elif found := looks_around(self.bench.source, self.bench.name):
            self.add(watching(*found, self.page("")))

    def forgive(self) -> None:
        """What is only weak, or only another convention, unless the contract's own choice is asked for."""
        if self.bench.strict:
            return
        kept = []
        for law, broken in self.broken:
            known = next((m for m in self.contract.mistakes if m.slug == broken.slug), None)
            other = next(
                (c for c in self.contract.conventions if c.mistake == broken.slug and not c.forms), None
            )
            if known and known.weak:
                evidence = (f"{law.name}: {broken.words}",)
                self.add(
                    Finding(
                        kind="weak",
                        slug=known.slug,
                        sentence=known.cause,
                        evidence=evidence,
                        page=self.page(known.slug),
                    )
                )
            elif broken.slug and other:
                self.convention(other.slug)
            else:
                kept.append((law, broken))
        self.broken = kept

    def name(self, match: Match, family: list[tuple[str, ...]]) -> None:
        """The mistakes that the nearest member makes, or the candidates."""
        fewest = min(len(slugs) for slugs in family)
        sets = [slugs for slugs in family if len(slugs) == fewest]
        if match.runner < FAR * match.distance and len(match.runner_slugs) == fewest:
            sets.append(match.runner_slugs)
        sets = self.settle(sets) if len(sets) > 1 else sets
        common = [slug for slug in sets[0] if all(slug in each for each in sets)]
        rest = sorted({slug for each in sets for slug in each} - set(common))
        words = "one of these, which no probe here can tell apart: "
        words += "; ".join(match.mistake(slug).cause for slug in rest)
        beside = (f"beside it there may be {words}",) if rest else ()
        for slug in common:
            self.add(self.mistake(match.mistake(slug), (*self.evidence(match), *beside)))
        if rest and not common:
            first = self.mistake(match.mistake(rest[0]), self.evidence(match), sentence=words)
            self.add(replace(first, candidates=tuple(rest)))
        self.draw(match.best)

    def settle(self, sets: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """Of explanations that are the same function, those with the mistake that other evidence points at."""
        differ = {slug for each in sets for slug in each if not all(slug in other for other in sets)}
        facts = self.subject.facts if self.subject else {}
        settled = self.contract.decide(self.bench.source, self.bench.name, differ, facts)
        return [each for each in sets if settled in each] if settled else sets

    def evidence(self, match: Match) -> tuple[str, ...]:
        """Numbers: how near, how far the right one, how far the next; and the laws that break."""
        said = [f"under your own weights it equals the reference with this mistake to {match.distance:.1e}"]
        said.append(apart("the correct reference", self.gap))
        if np.isfinite(match.runner):
            said.append(apart("the next known cause", match.runner))
        said += [f"the same function in other words: {words}" for words in match.words]
        return (*said, *(f"{law.name}: {broken.words}" for law, broken in self.broken))

    def mistake(
        self,
        mistake: Mistake,
        evidence: tuple[str, ...],
        *,
        law: str = "",
        sentence: str = "",
    ) -> Finding:
        """A finding that names a mistake, or a weakness where nobody asks for more."""
        return Finding(
            kind="weak" if mistake.weak and not self.bench.strict else "mistake",
            slug=mistake.slug,
            sentence=sentence or mistake.cause,
            law=law or self.hint(),
            evidence=evidence,
            place=self.place(mistake.look),
            remedy=mistake.remedy,
            page=self.page(mistake.slug if mistake in self.whole.mistakes else ""),
        )

    def hint(self) -> str:
        """The first law that breaks, which gives nothing away."""
        return (
            self.broken[0][0].says
            if self.broken
            else "the output equals the reference under your own weights"
        )

    def by_laws(self) -> None:
        """Mistakes that one law alone proves; not what a mistake already named brings with it."""
        for law, broken in self.broken:
            named = {f.slug.partition("-")[0] for f in self.findings if f.kind == "mistake"}
            follows = (broken.slug == "softmax-unstable" and "softmax" in named) or (broken.weak and named)
            if broken.slug and not follows:
                evidence, known = (f"{law.name}: {broken.words}",), self.contract.mistake(broken.slug)
                # Where no single answer shows it, what was seen is part of the sentence.
                sentence = "" if known.forms else f"{known.cause}: {broken.words}"
                self.add(self.mistake(known, evidence, law=law.says, sentence=sentence))

    def agreed(self, match: Match) -> None:
        """Conventions, as such."""
        slugs = [*match.best.frame.conventions, *(c.slug for c in match.best.conventions)]
        replaced = {slug for _, broken in self.broken for slug in broken.instead}
        for slug in dict.fromkeys(s for s in slugs if s != "by-behaviour" and s not in replaced):
            self.convention(slug)

    def demand(self) -> None:
        """A convention that was asked for and is not kept is a mistake."""
        for found in self.whole.conventions:
            if (
                found.choice in self.bench.wanted
                and self.match
                and found.slug not in {f.slug for f in self.findings}
            ):
                sentence = f"the convention that was asked for is not kept: {found.says}"
                self.add(
                    Finding(kind="mistake", slug=found.slug, sentence=sentence, page=self.page(found.slug))
                )

    def convention(self, slug: str) -> None:
        """A finding that is no mistake, unless the contract's own choice is asked for and nobody says otherwise."""
        found = self.whole.convention(slug)
        declared = found.harmless or said(found, self.bench)
        wrong = self.bench.strict and not declared
        self.add(
            Finding(
                kind="mistake" if wrong else "convention",
                slug=found.mistake or slug if wrong else slug,
                sentence=found.says,
                page=self.page(slug),
                declared=declared,
                remedy="say that it is meant: in the docstring, or --convention" if wrong else "",
            )
        )

    def notice(self, subject: Subject) -> None:
        """Conventions that only a probe of their own shows."""
        for look in self.contract.notices:
            try:
                slug = look(subject, self.rng)
            except Raised:
                continue
            if slug:
                self.convention(slug)

    def unknown(self, frame: WeightMap | None) -> None:
        """Something is wrong and nothing known explains it: the law, the step and the smallest case, no name."""
        evidence = [f"{law.name}: {broken.words}" for law, broken in self.broken]
        unnamed = [pair for pair in self.broken if not pair[1].slug]
        law = unnamed[0][0] if unnamed else None
        sentence = "it is not the function the contract asks for, in a way the checker does not know"
        if law:
            seen = unnamed[0][1].words
            sentence = f"{law.says}: this does not hold, for a reason the checker does not know: {seen}"
        if not self.match:
            evidence.append(f"it differs from the correct reference by {percent(self.gap)}")
            asked = list(zip(self.cases, self.answers, strict=True))
            if self.subject and (found := parted(self.contract, self.subject, self.rng)):
                sentence += f"; {found[0]}"
                asked = [found[1:], *asked]
            evidence.append(worst(self.contract, frame, asked) if frame else "")
        self.add(
            Finding(
                kind="unknown",
                slug="unknown",
                sentence=sentence,
                law=law.says if law else "the output equals the reference under your own weights",
                evidence=tuple(filter(None, evidence)),
                place=self.place(law.look if law else ""),
                remedy="compare the smallest case above by hand; the page lists what is checked",
                page=self.page(""),
            )
        )

    def draw(self, member: Member) -> None:
        """Expected and actual, where the contract can draw them."""
        if self.contract.picture:
            agreed = {name for convention in member.conventions for form in convention.forms for name in form}
            right = {name: step for name, step in member.steps.items() if name in agreed}
            pair = [
                self.contract.picture(self.cases[0], member.frame, steps).tolist()
                for steps in (right, member.steps)
            ]
            self.picture = Picture(title="weights: expected and yours", expected=pair[0], actual=pair[1])

    def add(self, finding: Finding) -> None:
        """Keep a finding, once."""
        if finding.slug not in {f.slug for f in self.findings if f.kind == finding.kind}:
            self.findings.append(finding)
            if self.first is None and finding.kind in SERIOUS:
                self.first = time.monotonic() - self.start

    def place(self, look: str) -> Place | None:
        """Where to look in the person's source."""
        return self.bench.source.place(self.bench.name, look)

    def page(self, slug: str) -> str:
        """The page that explains it."""
        return f"{self.contract.name}#{slug}" if slug else self.contract.name

    def verdict(self) -> Verdict:
        """The state and its sentence."""
        wrong = any(f.kind in ("mistake", "unknown") or f.slug in FATAL for f in self.findings)
        stopped = any(f.kind == "stopped" for f in self.findings)
        state: State = "mistake" if wrong else "undecided" if stopped else "correct"
        first = next((f for f in self.findings if f.kind in SERIOUS), None)
        right = f"it is {titled(self.contract.title, self.subject.facts if self.subject else {})}, as far as {len(self.laws)} laws and {len(self.contract.mistakes)} known mistakes can tell"
        if (how := manner(self.findings)) != "correct":
            right = f"{how}; {right}"
        frame = self.subject.frame if self.subject else None
        return Verdict(
            contract=self.contract.name,
            member=self.bench.name,
            state=state,
            sentence=first.sentence if first else right,
            findings=tuple(self.findings),
            notes=(*(frame.notes if frame else ()), *(self.subject.notes if self.subject else ())),
            precision=self.subject.kind if self.subject else "",
            laws=dict(self.laws),
            picture=self.picture,
            seconds=time.monotonic() - self.start,
            first=self.first,
        )


def examine(contract: Contract, bench: Workbench, *, seed: int = 0) -> Verdict:
    """The verdict on one member under one contract."""
    return Examination(contract, bench, seed).run()
