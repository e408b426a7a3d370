"""What is claimed of turned pictures: what is lost, why quarter turns stand out, what training on them costs."""

from typing import Literal

from regard.claims import Claim

Source = Literal["digits", "clothes", "things"]
BUILT_IN = "quarter turns built in"
UPRIGHT, TURNED = "trained upright", "trained on turned pictures"
LONGER = f"{TURNED}, longer"
ALIKE = f"{BUILT_IN}, any pictures: change by a quarter turn, %"
NEXT = {
    "90° and 270°": "accuracy at 90° and 270° minus that 30° to either side, %",
    "180°": "accuracy at 180° minus that 30° to either side, %",
}
STEPS = "accuracy after a quarter turn at once minus in two steps, %"
CORNERS = "accuracy after a quarter turn minus the same with black corners, %"
COST = "upright accuracy, trained upright minus trained on turned pictures, %"
LOSS = "training loss on turned pictures minus on upright ones"
WON_BACK = "upright accuracy, trained on turned pictures longer minus the same length, %"
SIXES = "sixes and nines taken for each other minus other pairs, % of the pictures"
LOOK_ALIKE = "accuracy at 180° of the classes most alike to their half turn minus the others, %"
SETS = {"digits": "MNIST's digits", "things": "CIFAR-10's photographs"}
"The pictures of which something is claimed."
HERE = "this experiment"
LEAST = 0.1
"One of 1000 test pictures, in percent: what is less is no difference."


def _shown(name: str, how: str = ".0f") -> str:
    """The place of another measurement in a sentence."""
    return f"{{of[{name}]:{how}}}"


def _claims(source: str) -> tuple[Claim, ...]:
    """What holds of both sets of pictures."""
    upright, turned = (f"{source}, {UPRIGHT}: {what}, %" for what in ("accuracy upright", "mean accuracy from 60° to 300°"))  # fmt: skip
    also = f"{source}, {TURNED}: accuracy upright, %"
    on = SETS[source]
    return (
        Claim(f"{source}, {UPRIGHT}: upright minus turned, %", low=25.0,
              why="nothing in a convolution knows rotation; the published curve loses 50 points", source="Amsterdam A2, 1.2 a", data="folder", items=(61,),
              says=f"No: trained upright on {on}, it knows {_shown(upright)} % of the upright test pictures and {_shown(turned)} % of those turned by 60 to 300 degrees.",
              otherwise=f"To a degree: trained upright on {on}, it knows {_shown(upright)} % of the upright test pictures and still {_shown(turned)} % of those turned by 60 to 300 degrees.",
              asks=f"whether a network trained upright on {on} loses its accuracy on turned ones"),
        Claim(f"{source}, {TURNED}: highest minus lowest, %", high=15.0,
              why="all angles are learnt alike; the published curve spreads by 2 points over 10,000 pictures", source="Amsterdam A2, 1.2 b", data="folder", items=(62,),
              says=f"Trained on turned pictures, its curve is flat on {on}: from the best angle to the worst it is {{value:.1f}} points, in the mean over trainings.",
              otherwise=f"Trained on turned pictures, its curve is not flat on {on}: from the best angle to the worst it is {{value:.1f}} points, in the mean over trainings.",
              asks=f"whether training on turned pictures makes all angles alike on {on}"),
        Claim(f"{source}: {COST}", low=LEAST,
              why="the same weights and steps have every orientation to learn; the published accuracy falls from 71.3 to 54.7 %", source="Amsterdam A2, 1.2 b", data="folder", items=(62,),
              says=f"Training on turned pictures has a price: upright accuracy on {on} is {_shown(also)} % with it and {_shown(upright)} % without.",
              otherwise=f"Training on turned pictures costs no upright accuracy on {on}: {_shown(also)} % with it and {_shown(upright)} % without.",
              asks=f"whether training on turned pictures costs upright accuracy on {on}"),
        Claim(f"{source}: {LOSS}", low=0.001,
              why="if it is higher too, the network has more to learn, not too much by heart; the published losses are 1.305 and 0.634", source="Amsterdam A2, 1.2 b", data="folder", items=(62,),
              says=f"Turned pictures are harder to fit: the loss on the training pictures of {on} is {{value:.2f}} nats higher when they are turned, so there is more to learn with the same weights and steps.",
              otherwise=f"Turned pictures are no harder to fit: the loss on the training pictures of {on} is no higher when they are turned ({{value:+.2f}} nats).",
              asks=f"whether turned pictures of {on} are harder to fit"),
    )  # fmt: skip


CLAIMS = (
    Claim(ALIKE, high=0.5,
          why="its scores are the same but for rounding, whatever its weights and whatever the picture", source="Cohen and Welling, 2016",
          says="A network of turned filters keeps its accuracy at quarter turns whatever the pictures (within {value:.1f} points).",
          otherwise="A network of turned filters loses {value:.1f} points at a quarter turn.",
          asks="whether a network of turned filters keeps its accuracy at quarter turns"),
    Claim(f"digits, {UPRIGHT}: accuracy upright, %", low=85.0,
          why="MNIST is learnt within a few hundred steps", source=HERE, data="folder", items=(61,),
          says="Upright, {value:.0f} % of the test digits are known.", otherwise="Even upright, no more than {value:.0f} % of the test digits are known: the training was too short.",
          asks="whether upright digits are learnt"),
    *_claims("digits"),
    Claim(f"digits, {BUILT_IN}: largest change by a quarter turn, %", high=0.5,
          why="its scores are the same but for rounding, whatever its weights", source="this experiment; Cohen and Welling, 2016", data="folder", items=(62,),
          says="With quarter turns built into its filters, a network trained upright on MNIST's digits has the same accuracy at every quarter turn (within {value:.1f} points).",
          otherwise="Quarter turns built into the filters do not keep the accuracy on MNIST's digits: it changes by {value:.1f} points.",
          asks="whether quarter turns can be built in on MNIST's digits"),
    Claim(f"digits, {TURNED}: mean accuracy from 60° to 300°, %", low=50.0,
          why="turned digits are harder, but far from guessing, even after a short training", source=HERE, data="folder", items=(62,),
          says="Trained on turned digits, it knows {value:.0f} % of those turned by 60 to 300 degrees.",
          otherwise="Even trained on turned digits, it knows no more than {value:.0f} % of those turned by 60 to 300 degrees.",
          asks="whether turned digits can be learnt from turned digits"),
    Claim(f"digits: {WON_BACK}", low=LEAST,
          why="every orientation is seen more often", source=HERE, data="folder", items=(62,),
          says="Time wins some upright accuracy back: three times as long on turned digits, and upright accuracy is {value:.1f} points higher.",
          otherwise="Time wins no upright accuracy back: three times as long on turned digits, and upright accuracy is no higher ({value:+.1f} points).",
          asks="whether a longer training wins upright accuracy back"),
    Claim(f"digits: {SIXES}", low=LEAST,
          why="a nine is a six turned by 180 degrees: at an unknown angle one picture has two names", source=HERE, data="folder", items=(62,),
          says="What remains alike: sixes and nines, which are each other's half turns, are taken for each other in {value:.1f} % more of their pictures than other pairs of digits.",
          otherwise="Sixes and nines, though each other's half turns, are not taken for each other more than other pairs ({value:+.1f} % of their pictures).",
          asks="whether sixes and nines are confused once digits are turned"),
    Claim(f"digits, {UPRIGHT}: {NEXT['180°']}", low=LEAST,
          why="some digits look alike upside down, and none does at 150 or 210 degrees", source=HERE, data="folder", items=(61,),
          says="On digits, 180 degrees is a local maximum: {value:.1f} points above the accuracy 30 degrees to either side.",
          otherwise="On digits, 180 degrees is no local maximum: {value:+.1f} points beside the accuracy 30 degrees to either side.",
          asks="whether digits have a maximum at 180 degrees"),
    Claim(f"digits: {LOOK_ALIKE}", low=LEAST,
          why="a half turn leaves them nearly as they were", source=HERE, data="folder", items=(61,),
          says="Symmetric digits are known better upside down: at 180 degrees the three digits whose mean picture is most like its own half turn are known {value:.0f} points better, in the mean, than the other seven.",
          otherwise="Symmetric digits are not known better upside down: at 180 degrees the three digits whose mean picture is most like its own half turn are known no better, in the mean, than the others ({value:+.0f} points).",
          asks="whether symmetric digits are the ones known upside down"),
    *_claims("things"),
    Claim(f"things, {UPRIGHT}: {NEXT['90° and 270°']}", low=LEAST,
          why="the published local maxima stand 6 points above the mean of their neighbours", source="Amsterdam A2, 1.2 a", data="folder", items=(61,),
          says="On photographs, 90 and 270 degrees are local maxima: {value:.1f} points above the accuracy 30 degrees to either side.",
          otherwise="On photographs, 90 and 270 degrees are no local maxima: {value:+.1f} points beside the accuracy 30 degrees to either side.",
          asks="whether photographs have maxima at 90 and 270 degrees"),
    Claim(f"things, {UPRIGHT}: {NEXT['180°']}", low=LEAST,
          why="the published local maximum stands 8 points above the mean of its neighbours", source="Amsterdam A2, 1.2 a", data="folder", items=(61,),
          says="On photographs, 180 degrees is a local maximum: {value:.1f} points above the accuracy 30 degrees to either side.", otherwise="On photographs, 180 degrees is no local maximum: {value:+.1f} points beside the accuracy 30 degrees to either side.",
          asks="whether photographs have a maximum at 180 degrees"),
    Claim(f"things: {STEPS}", low=2.0,
          why="interpolation and black corners, not the angle, make the neighbours worse", source=HERE, data="folder", items=(61,),
          says="Angles between quarter turns damage a photograph: a quarter turn reached in two steps, each interpolated and with black corners, has {value:.1f} points less accuracy than the same turn at once.",
          otherwise="Interpolation and black corners do little damage to a photograph: a quarter turn in two steps has about the accuracy of the same turn at once ({value:+.1f} points less).",
          asks="whether interpolation and black corners explain the maxima at quarter turns"),
    Claim(f"things: {CORNERS}", low=LEAST,
          why="photographs have something in their corners", source=HERE, data="folder", items=(61,),
          says="Black corners alone, with no pixel of a photograph moved, cost {value:.1f} points.",
          otherwise="Black corners alone take nothing from photographs ({value:+.1f} points).",
          asks="whether black corners alone harm"),
    Claim(f"things, {UPRIGHT}: accuracy upright, %", low=66.0, high=76.0,
          why="the published value is 71.3", source="Amsterdam A2, 1.2 a", preset="full", data="folder", items=(61,),
          says="Upright, {value:.1f} % of CIFAR-10's test pictures are known; the published value is 71.3 %.",
          otherwise="Upright, {value:.1f} % of CIFAR-10's test pictures are known, away from the published 71.3 %.",
          asks="whether the published accuracy on CIFAR-10 is reached"),
    Claim(f"things, {TURNED}: mean accuracy from 60° to 300°, %", low=48.0, high=60.0,
          why="the published values are 52.7 to 54.7", source="Amsterdam A2, 1.2 b", preset="full", data="folder", items=(62,),
          says="Trained on turned photographs, it knows {value:.1f} % of them at 60 to 300 degrees; the published values are 52.7 to 54.7 %.",
          otherwise="Trained on turned photographs, it knows {value:.1f} % of them at 60 to 300 degrees, away from the published 52.7 to 54.7 %.",
          asks="whether the published accuracy on turned photographs is reached"),
)  # fmt: skip
