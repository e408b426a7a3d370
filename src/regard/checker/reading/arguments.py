"""Constructor arguments of a person's class: what each means, by its name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

NAMES = {
    "width": "n_embd d_model embed_dim width dim hidden_size hidden_dim emb_dim embedding_dim emb_size embed_size emb channels c "
    "d_in input_dim model_dim features size d input_size normalized_shape n_embed d_embed embed hidden model_size n_features "
    "num_features feature_dim n_channels num_channels embd embedding_size d_hidden ndim qdim query_dim embd_dim head_width d_emb "
    "in_dim in_features out_dim out_features d_out output_dim dims shape normalized_dim layer_size dmodel dim_model dim_in dim_out "
    "model_width n_model emb_width d_in_out dim_q q_dim dim_kv kv_dim context_dim d_context ctx_dim memory_dim d_memory cond_dim d_cond "
    "dim_inp inp_dim d_inp dim_input dim_output d_output num_hiddens n_hiddens num_hidden query_size encoder_dim enc_dim d_enc source_dim src_dim kdim vdim cross_dim cross_attention_dim",
    "heads": "n_head n_heads num_heads heads nhead h nheads num_attention_heads n_attn_heads number_of_heads head_count head num_head "
    "attention_heads",
    "key_heads": "n_kv_heads num_kv_heads kv_heads n_kv_head num_kv_head num_key_value_heads n_key_value_heads key_value_heads "
    "n_heads_kv n_head_kv num_heads_kv heads_kv n_kv num_kv kv_head kv_head_count num_kv_groups n_kv_groups kv_groups num_query_groups "
    "n_query_groups query_groups num_groups n_groups key_heads n_key_heads",
    "length": "block_size max_len seq_len context_length max_seq_len n_positions max_length context ctx n_ctx sequence_length t "
    "max_position_embeddings seq_length length max_t context_size ctx_len max_positions max_seq_length block window maxlen seqlen "
    "max_sequence_length end n seq l max_n t_max tmax n_max l_max",
    "dropout": "dropout p attn_dropout drop pdrop attn_pdrop resid_pdrop dropout_p p_drop drop_rate dropout_rate attention_dropout "
    "resid_dropout p_dropout dropout_prob dropout_ratio attn_drop proj_drop drop_prob feat_drop",
    "head_width": "head_size d_k d_v head_dim dim_head d_head dk dv d_q head_width dim_per_head size_per_head key_dim value_dim",
    "eps": "eps epsilon variance_epsilon layer_norm_epsilon rms_norm_eps e norm_eps",
    "bias": "bias qkv_bias use_bias has_bias",
    "batch_first": "batch_first",
    "causal": "causal is_causal masked use_mask mask",
    "base": "base theta rope_theta rope_base freq_base rotary_base rotary_theta base_theta theta_base base_freq base_frequency "
    "frequency_base freqs_base rope_freq_base rotary_emb_base rotary_freq_base rot_base rope_freq theta_0 theta0 max_wavelength max_timescale",
    "components": "n_components k n_component num_components components n_gaussians num_gaussians n_mixtures n_clusters n_classes "
    "num_mixtures mixtures ncomponents n_comp n_gauss n_clust n_gaussian num_gaussian num_clusters number_of_components "
    "number_of_clusters nb_components nb_clusters number_of_states n_states num_states n_modes n_centroids n_centers",
    "dimension": "dim n_dim n_dims d data_dim input_dim n_features dims dimension dimensions features ndim in_features in_dim "
    "num_features x_dim",
    "inputs": "in_features in_channels in_dim in_feats input_dim nfeat in_size d_in input_size n_in in_ch dim_in din f_in fin "
    "num_features in_feat n_features c_in indim num_in_features features_in in_c input_features channels_in d size_in inputs n_inputs num_inputs",
    "outputs": "out_features out_channels out_dim out_feats output_dim nhid out_size d_out output_size n_out out_ch dim_out dout f_out "
    "fout hidden hidden_dim out_feat nclass n_hidden c_out outdim num_out_features features_out out_c output_features "
    "channels_out head_dim per_head size_out outputs n_outputs num_outputs",
    "slope": "alpha negative_slope slope leaky_slope leaky_relu_slope leaky leaky_alpha neg_slope",
    "concat": "concat is_concat concat_heads concatenate",
    "residual": "add_skip_connection residual skip use_residual add_residual skip_connection use_skip with_residual",
    "shared": "share_weights share",
    "data": "x data points samples dataset observations xs train_data x_train obs data_x x_data",
    "covariance": "covariance_type cov_type covariance",
    "loops": "add_self_loops self_loops add_loops self_loop",
    "temperature": "temperature temp scale scaling scale_factor scaler",
    "axes": "axes reducedims reduce_dims reduced_dims reduce_axes reduction_dims reduction_axes norm_dims norm_axes",
}
"The usual names of each meaning."
LIKELY = {
    "dropout": re.compile(r"drop"),
    "heads": re.compile(
        r"^(n|num|number|nb|count)_?(of_)?(attn_|attention_|query_|q_)?heads?$|^heads?_(num|count|number)$"
    ),
    "width": re.compile(r"^(model|embed\w*|emb|hidden|token|feature)_?(dim\w*|size|width|features)$"),
    "eps": re.compile(r"eps(ilon)?$"),
}
"Names that nobody listed and that say enough."
ROLED = re.compile(
    r"^(d_?model|model_?(dim|size)|embed_?dim|emb_?dim|embedding_?dim|hidden_?(dim|size)|n_?embd|input_?(dim|size))_?"
    r"(q|k|v|query|key|value|queries|keys|values)$"
)
"Names of the width of what queries, keys or values are made from: the same for all of them here."
REPEATED = ("head_width", "dropout")
"Meanings that several arguments may have: a width for keys and one for values, a dropout of weights and one of outputs."
ALIASES = {meaning: set(words.split()) for meaning, words in NAMES.items()}
ASKED = {"bias": True, "base": 10000.0, "axes": [-1]}
"What is given for a meaning that is left to the person's default where there is one."
PLACES = {"device": "cpu", "dtype": None}
"Where and in which precision numbers lie, where a constructor must be told."
CONFIG = {
    "config",
    "cfg",
    "args",
    "conf",
    "configs",
    "hparams",
    "params",
    "configuration",
    "opt",
    "options",
    "c",
}
CONFIG |= {"settings", "hp", "hps", "model_args", "model_config", "hyperparameters", "spec", "setup"}


class Unbuildable(Exception):
    """A constructor asks for something that the checker cannot know."""


@dataclass(frozen=True)
class Built:
    """Arguments for a constructor, and what was meant by them."""

    named: dict[str, Any]
    meant: dict[str, str]
    guessed: tuple[str, ...] = ()
    "Arguments whose names say nothing: a size was tried."

    def given(self, meaning: str) -> Any:
        """What was given for a meaning, alone or among settings.

        >>> Built({"cfg": {"config": {"n_head": 3}}}, {"heads": "cfg"}).given("heads")
        3
        """
        value = self.named[self.meant[meaning]]
        if isinstance(value, dict):
            return next(held for name, held in _flat(value["config"]) if mean(name, [meaning]))
        return value


def _flat(fields: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Fields of a settings object and of those inside it, these also under both names.

    >>> list(_flat({"n": 4, "heads": {"config": {"count": 3}}}))
    [('n', 4), ('count', 3), ('heads_count', 3), ('count_heads', 3)]
    """
    for name, value in fields.items():
        if isinstance(value, dict):
            for word, held in value["config"].items():
                yield from ((one, held) for one in (word, f"{name}_{word}", f"{word}_{name}"))
        else:
            yield name, value


def fill(
    parameters: list[dict[str, Any]],
    known: dict[str, Any],
    given: dict[str, str],
    held: dict[str, dict[str, Any]] | None = None,
    used: dict[str, str] | None = None,
) -> Built:
    """Arguments for every parameter that is required or whose meaning is known; `held` has the settings objects.

    `used` says what a parameter means by its use in the constructor: a width counts for more than its name, a flag or nothing less.

    >>> wide = {"name": "n_embd", "required": True, "star": False, "default": None}
    >>> fill([wide], {"width": 24}, {}).named
    {'n_embd': 24}
    """
    named: dict[str, Any] = {}
    meant: dict[str, str] = {}
    strangers: list[str] = []
    for parameter in (p for p in parameters if not p["star"]):
        name = parameter["name"]
        free = [m for m in known if m not in meant or m in REPEATED]
        use = (used or {}).get(name)
        meaning = use if use == "width" else mean(name, free) or use
        meaning = "width" if "width" in known and ROLED.search(name.lower()) else meaning
        if name in given:
            named[name] = number(given[name])
        elif meaning == "flag":
            if parameter["required"]:
                named[name] = False
        elif held and name in held:
            own = {word: number(given[word]) for word in held[name] if word in given}
            named[name] = {"config": spread(known) | held[name] | own}
            meant |= {meaning: str(name) for meaning in _settled(held[name], known) if meaning not in meant}
        elif meaning and _several(parameter) and type(known.get(meaning)) is int:
            continue  # it has them by itself, and they are no number
        elif meaning and meaning in known and (known[meaning] is not None or parameter["required"]):
            value = known[meaning] if known[meaning] is not None else ASKED[meaning]
            named[name], meant[meaning] = value, name
        elif name.lower() in CONFIG and parameter["required"]:
            named[name] = {"config": spread(known)}
            meant |= dict.fromkeys(known, f"{name}")
        elif (parameter["required"] and name in PLACES) or elsewhere(parameter):
            named[name] = PLACES.get(name, "cpu")
        elif parameter["required"] and meaning == "nothing":
            named[name] = 1
        elif parameter["required"]:
            strangers.append(name)
    guessed = _guessed(strangers, [m for m, value in known.items() if m not in meant and type(value) is int])
    named |= {name: known[size] for name, size in guessed.items()}
    meant |= {size: name for name, size in guessed.items()}
    ordered = {p["name"]: named[p["name"]] for p in parameters if p["name"] in named}
    return Built(ordered, meant, tuple(guessed))


def _guessed(strangers: list[str], sizes: list[str]) -> dict[str, str]:
    """A name that nobody knows most likely means the first size that no other name claimed.

    >>> _guessed(["breite", "tiefe"], ["width", "heads", "length"])
    {'breite': 'width', 'tiefe': 'heads'}
    """
    if len(strangers) > len(sizes):
        raise Unbuildable(strangers[len(sizes)])
    return dict(zip(strangers, sizes, strict=False))


def _several(parameter: dict[str, Any]) -> bool:
    """Whether an argument that need not be given holds several things."""
    return not parameter["required"] and parameter.get("several", False)


def elsewhere(parameter: dict[str, Any]) -> bool:
    """Whether an argument says that numbers lie on a GPU, unless it is told otherwise."""
    return str(parameter["default"]).startswith("cuda")


def _settled(fields: dict[str, Any], known: dict[str, Any]) -> list[str]:
    """What is settled by fields: everything; but where sizes have names that nobody knows, what the others mean.

    >>> _settled({"breite": 16, "eps": 1e-5}, {"width": 24, "eps": 1e-5}), _settled({"n": 4}, {"length": 4, "width": 9})
    (['eps'], ['length', 'width'])
    """
    flat = dict(fields)
    for value in fields.values():
        flat |= value["config"] if isinstance(value, dict) else {}
    meanings = {name: mean(name, list(known)) for name in flat}
    unknown = [name for name, meaning in meanings.items() if not meaning and type(flat[name]) is int]
    return [meaning for meaning in known if not unknown or meaning in meanings.values()]


def mean(name: str, meanings: list[str]) -> str | None:
    """The first of some meanings that a name may have."""
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().strip("_")
    known = next((m for m in meanings if plain in ALIASES[m]), None)
    return known or next((m for m, words in LIKELY.items() if m in meanings and words.search(plain)), None)


def spread(known: dict[str, Any]) -> dict[str, Any]:
    """A configuration that answers to every usual name; of two meanings with one name the first counts."""
    held = {meaning: ASKED.get(meaning) if value is None else value for meaning, value in known.items()}
    return {
        alias: value
        for meaning, value in reversed(held.items())
        for alias in ALIASES[meaning]
        if value is not None
    }


def number(word: str) -> Any:
    """A word from the command line as the value it looks like."""
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return {"true": True, "false": False, "none": None}.get(word.lower(), word)
