"""What is claimed of a network that tells composers apart."""

from regard.claims import Claim

CONTEMPORARIES = "confusions of composers born within a century minus those further apart, points"
KNOWS = "graph attention minus most frequent composer, points"
LEAD = "lead over the histogram, in standard deviations over folds"
FORMULA = "relational attention: largest gap to the formula with matrices"

CLAIMS = (
    Claim(FORMULA, high=1e-10,
          why="the same sum, in another order, in float64", source="Duke HW3, 5.1", items=(18,),
          says="The layer is y_i = B x_i + Σ_r Σ_j α_ij^r W_r x_j + b, with a softmax for each relation r: written out with whole matrices it gives the same, to {value:.0e}.",
          otherwise="The layer is not the formula of relational attention with whole matrices: they differ by {value:.1e}.",
          asks="whether the layer is the formula of relational attention"),
    Claim(KNOWS, low=0.0,
          why="naming the most frequent composer is what knowing nothing gives", source="Duke HW3, 5", items=(19,),
          says="Of scraps from works that it has never seen, the network gives {of[graph attention: accuracy, %]:.0f} % to the right one of six composers; naming the most frequent one gets {of[most frequent composer: accuracy, %]:.0f} %, a regression on the histogram of pitch classes {of[pitch histogram: accuracy, %]:.0f} %, one on the averages of notes {of[averages of notes: accuracy, %]:.0f} %.",
          otherwise="Of scraps from works that it has never seen, the network gives {of[graph attention: accuracy, %]:.0f} % to the right one of six composers: no better than naming the most frequent one, with {of[most frequent composer: accuracy, %]:.0f} %.",
          asks="whether the network tells composers better than by naming the most frequent one"),
    Claim("graph attention minus pitch histogram, points", low=0.0,
          why="the network sees pitches too, and durations, voices and relations beside them", source="Duke HW3, 5", items=(19,),
          says="A regression that sees the histogram of pitch classes alone is {value:.0f} points behind the network (95 % interval {low:.0f} to {high:.0f}).",
          otherwise="The network is no better than a regression that sees the histogram of pitch classes alone, with {of[pitch histogram: accuracy, %]:.0f} %.",
          asks="whether the network tells composers better than a histogram of pitch classes"),
    Claim("without all, from the start, minus whole, points", high=0.0,
          why="the relations carry what notes alone do not", source="Duke HW3, 5", items=(19,),
          says="Which notes belong together matters: trained without any relation the network changes by {value:+.1f} points.",
          otherwise="Which notes belong together brings nothing here: trained without any relation the network changes by {value:+.1f} points.",
          asks="whether the relations between notes bring anything beside the notes themselves"),
    Claim(CONTEMPORARIES, low=0.0,
          why="style follows time: Mozart and Beethoven, Palestrina and Monteverdi share more than either pair with Ciconia", source="Duke HW3, 5.3", items=(20,),
          says="Composers born within a century of each other are confused more often than others, by {value:.1f} points.",
          otherwise="Composers born within a century of each other are not confused more often than others: the difference is {value:+.1f} points.",
          asks="whether composers of one time are confused more often than others"),
    Claim(LEAD, low=1.0,
          why="a lead smaller than the spread over folds would not be worth the network", source="this experiment", items=(19,),
          says="The lead over the histogram is {value:.1f} times the standard deviation of that lead over the folds.",
          otherwise="The lead over the histogram is smaller than its standard deviation over the folds ({value:.1f} of it).",
          asks="whether the lead over the histogram exceeds its spread over the folds"),
    Claim("graph attention minus averages of notes, points", low=0.0,
          why="relations tell which notes belong together", source="Duke HW3, 5", items=(19,),
          says="The network beats the harder rival, a regression on the averages of notes, by {value:.0f} points (95 % interval {low:.0f} to {high:.0f}).",
          otherwise="The network does not beat the harder rival: a regression on the averages of notes gets {of[averages of notes: accuracy, %]:.0f} %, the network {value:+.1f} points beside that.",
          asks="whether the network beats a regression on the averages of notes"),
    Claim("folds by scrap minus folds by work, points, work by work", low=0.0,
          why="scraps of one work share key, theme and texture", source="this experiment", items=(19,),
          says="A split that lets scraps of one work both train and test flatters the network by {value:.1f} points.",
          otherwise="A split that lets scraps of one work both train and test does not flatter the network: it changes by {value:+.1f} points.",
          asks="whether a split by scraps instead of works flatters the network"),
)  # fmt: skip
