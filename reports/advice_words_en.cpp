#include "reports/advice_words.hpp"

namespace stepcast {

namespace {

// An id ends in "?" for a question, in ".yes" or ".no" for the reason with that answer.
constexpr Sentence table[] = {
    {"title", "Advice for {model} on {cluster}: {gpus} GPUs, {framework}"},
    {"job", "sequence {sequence} tokens, global batch {batch} sequences"},
    {"head.words", "The four ways to divide the work"},
    {"head.conditions", "Five conditions"},
    {"head.rules", "The rules, in order"},
    {"head.choice", "The rules choose"},
    {"head.search", "Beside the search's best"},
    {"head.strategies", "What each way does here"},
    {"head.groups", "What each group demands of the network, and gets"},
    {"head.alternatives", "Neighbours: one degree doubled, another one halved"},
    {"head.notes", "Where the usual sayings are imprecise, and it matters here"},
    {"answer.yes", "yes"},
    {"answer.no", "no"},
    {"against", "{question} {answer} ({value} against {threshold}). {reason}"},
    {"alone", "{question} {answer} ({value}). {reason}"},
    {"colon", ": "},
    {"semicolon", "; "},
    {"intro.dp",
     "Data parallelism (DP): every group of GPUs that holds the whole model (a replica) takes "
     "other "
     "sequences; gradients are summed once a step."},
    {"intro.pp",
     "Pipeline parallelism (PP): each stage holds some of the layers; sequences flow through the "
     "stages in small portions, the micro-batches."},
    {"intro.tp",
     "Tensor parallelism (TP): every matrix is cut over the GPUs of a group, which exchange "
     "activations several times in every layer. With sequence parallelism (SP) the "
     "activations between the matrices are divided as well."},
    {"intro.cp",
     "Context parallelism (CP): every sequence is cut over the GPUs of a group; only attention "
     "needs the other parts, and their keys and values go round in a ring."},

    {"c1?", "C1. Does a full replica fit on one GPU?"},
    {"c1.yes",
     "Training states take {states} (18 bytes a parameter in bf16 with Adam), {sharded} with the "
     "optimizer sharded over {gpus} GPUs; activations {activations} and logits {logits} still fit: "
     "data parallelism alone is possible."},
    {"c1.no",
     "Training states take {states}, still {sharded} with the optimizer sharded over {gpus} GPUs; "
     "with activations of {activations} and logits of {logits} the model must be divided."},
    {"c2?", "C2. Does one layer, with the embedding, fit on one GPU?"},
    {"c2.yes", "The width of {hidden} does not force tensor parallelism; its activations may."},
    {"c2.no", "At a width of {hidden} a single layer must be cut: tensor parallelism is forced."},
    {"c3?", "C3. Is the sequence far beyond the usual?"},
    {"c3.yes",
     "Not by its work: attention and the linear layers cost the same at {crossover} tokens, "
     "far above {sequence}. But its activations, {activations} under TP {tensor}, are more "
     "than the {budget} they may have, and cutting sequences brings them down."},
    {"c3.no",
     "Attention and the linear layers cost the same at {crossover} tokens; {sequence} tokens are "
     "short against that, and their activations ({activations} under TP {tensor}) stay within "
     "{budget}."},
    {"c3.work?", "C3. Is the sequence far beyond the usual?"},
    {"c3.work.yes",
     "Attention and the linear layers cost the same at {crossover} tokens, so that attention "
     "is a large part of the work at {sequence}. Activations take {activations} under TP "
     "{tensor} and may have {budget}."},
    {"c4?", "C4. Does the network give every group what it demands?"},
    {"c4.yes", "All {groups} groups get it; the table below has the rates."},
    {"c4.no",
     "{value} of {groups} groups get less than would hide their traffic; the table below has the "
     "rates, and what stays exposed is in the forecast."},
    {"c5?", "C5. Can the team carry the complexity?"},
    {"c5.yes",
     "Each axis in use, interleaving, uneven stages and fp8 count one: {value}, within the ceiling "
     "of {threshold}."},
    {"c5.no", "{value} techniques are above the ceiling of {threshold}."},
    {"c5.free?", "C5. Can the team carry the complexity?"},
    {"c5.free",
     "Each axis in use, interleaving, uneven stages and fp8 count one: {value}. No ceiling was "
     "given (--complexity N)."},

    {"cp.length?", "Does attention do more than a quarter of a layer's work?"},
    {"cp.length.yes",
     "Attention grows with the square of the length, the linear layers with the length; they "
     "meet at {crossover} tokens, and this sequence has {sequence}."},
    {"cp.length.no",
     "The linear layers dominate until {crossover} tokens; this sequence has {sequence}."},
    {"cp.activations?",
     "Do activations overflow their half of memory, even under the widest TP that pays?"},
    {"cp.activations.yes",
     "One layer keeps {layer} of a sequence under TP {tensor}, {layers} layers {value}. More "
     "stages "
     "do not help: the first has as many micro-batches in flight as there are stages. What is left "
     "is to cut the sequence."},
    {"cp.activations.no",
     "One layer keeps {layer} of a sequence of {sequence} tokens under TP {tensor}, all {layers} "
     "layers {value}: no need to cut the sequence."},
    {"cp.none?", "So CP 1: do activations fit without cutting sequences?"},
    {"cp.none.yes", "CP {context}: {value} are within {threshold}."},
    {"cp.none.no",
     "CP {context}: {value} are above {threshold}, but {gpus} GPUs with these limits leave no room "
     "for CP {wanted} beside the training states."},
    {"cp.degree?", "The smallest CP that brings them into their half?"},
    {"cp.degree.yes",
     "CP {context} leaves {part} tokens of each sequence on a GPU, whose activations take "
     "{value}."},
    {"cp.degree.no", "CP {context} leaves {part} tokens and {value}: the largest degree there is."},
    {"cp.limited?", "The smallest CP that brings them into their half?"},
    {"cp.limited.yes", "CP {context} leaves {part} tokens of a sequence on a GPU: {value}."},
    {"cp.limited.no",
     "CP {wanted} would, but beside it {gpus} GPUs cannot hold the training states. Of the "
     "degrees that leave room, CP {context}, with {part} tokens on a GPU, leaves least to "
     "recompute of its {value} of activations."},
    {"cp.ring?", "Is a part of a sequence long enough to hide the ring exchange?"},
    {"cp.ring.yes",
     "While a GPU attends to one part, the next keys and values arrive. The work grows with the "
     "square of the part, its bytes with the part: from 2 ({kv_heads}/{heads}) F/B = {threshold} "
     "tokens on, at F = {layer_rate} and B = {link_rate} over {tier}, the exchange hides."},
    {"cp.ring.no",
     "Below 2 ({kv_heads}/{heads}) F/B = {threshold} tokens, at F = {layer_rate} and B = "
     "{link_rate} over {tier}, keys and values arrive later than attention needs them: part of the "
     "exchange is exposed."},

    {"tp.layer?", "Is one layer, with the embedding, too large for one GPU?"},
    {"tp.layer.yes", "Its training states do not fit: matrices must be cut."},
    {"tp.layer.no", "Its training states fit."},
    {"tp.activations?", "Do activations overflow their half of memory without TP?"},
    {"tp.activations.yes",
     "{layers} layers keep {value} of one sequence at CP {context}; TP with sequence parallelism "
     "divides nearly all of it."},
    {"tp.activations.no", "{layers} layers keep {value} of one sequence at CP {context}."},
    {"tp.none?", "So TP 1: do activations fit with whole matrices?"},
    {"tp.none.yes", "TP {tensor}: {value} are within {threshold}; no matrix has to be cut."},
    {"tp.none.no",
     "TP {tensor}: {value} are above {threshold}; wider does not pay (up to {widest})."},
    {"tp.degree?", "The smallest TP that brings them into their half?"},
    {"tp.degree.yes",
     "TP {tensor} brings activations to {value}; the widest that pays is {widest}."},
    {"tp.degree.no",
     "TP {tensor} brings activations to {value}; the widest that pays is {widest}."},
    {"tp.widest?", "The smallest TP that brings them into their half?"},
    {"tp.widest.yes",
     "TP {tensor} brings activations to {value}; the widest that pays is {widest}."},
    {"tp.widest.no",
     "Not even TP {tensor}, with {value}, where the widest that pays is {widest}: something is "
     "left "
     "for recomputation."},
    {"tp.cost?", "Does its communication take at most half as long as the work it shortens?"},
    {"tp.cost.yes",
     "Every layer's forward gathers and scatters its activations four times and waits. The ratio 4 "
     "h (t - 1) F / (P B) does not depend on tokens, only on width ({hidden}), t = {tensor}, F = "
     "{layer_rate} and B = {link_rate}."},
    {"tp.cost.no",
     "The ratio 4 h (t - 1) F / (P B) at width {hidden}, t = {tensor}, F = {layer_rate} and B = "
     "{link_rate} is high: this model is narrow for so wide a group, but memory asks for it."},
    {"tp.domain?", "Does the group stay inside one NVLink domain?"},
    {"tp.domain.yes",
     "The {threshold} GPUs that NVLink joins exchange {link_rate} over {tier}; what blocks in "
     "every "
     "layer belongs there."},
    {"tp.domain.no",
     "The group is larger than the {threshold} GPUs that NVLink joins: it blocks in every layer on "
     "{tier}, at {link_rate}."},
    {"step_on?", "Does that leave a configuration that fits, with a bubble of at most an eighth?"},
    {"step_on.no",
     "TP {first_tensor} with CP {first_context} leaves none; the next that does is TP {tensor} "
     "with "
     "CP {context}."},

    {"pp.memory?", "Does the model fit without a pipeline?"},
    {"pp.memory.yes",
     "Training states of {states} and activations of {activations} fit beside each other; "
     "PP {pipeline}, {states_now} of states on a GPU for {layers} layers."},
    {"pp.memory.no",
     "Training states of {states} and activations of {activations} do not fit beside each other. "
     "Stages divide the states of the {layers} layers: PP {pipeline} leaves {states_now} on a "
     "GPU."},
    {"pp.bubble?", "Is the bubble at most an eighth?"},
    {"pp.bubble.yes",
     "The bubble is the time in which stages stand still while the pipeline fills and drains: "
     "(p - 1) / (v m) of the working time, with p = {pipeline} stages, m = {micro_batches} "
     "micro-batches and v = {virtual} virtual stages (separate portions of layers) a GPU."},
    {"pp.bubble.no",
     "Stages stand still for (p - 1) / (v m) of the working time while the pipeline fills and "
     "drains: p = {pipeline} stages and m = {micro_batches} micro-batches leave that much even "
     "with "
     "v = {virtual} virtual stages a GPU. A larger global batch would help."},
    {"pp.transfer?", "Do activations reach the next stage within one forward?"},
    {"pp.transfer.yes",
     "{message} at {link_rate} over {tier} pass behind the computation of the next portion."},
    {"pp.transfer.no",
     "{message} at {link_rate} over {tier} take longer than one forward: stages wait for them."},
    {"pp.transfer_exposed?", "Do activations reach the next stage within one forward?"},
    {"pp.transfer_exposed.yes",
     "{message} at {link_rate} over {tier}. Without virtual stages they do not overlap, so that "
     "each adds to the step."},
    {"pp.transfer_exposed.no",
     "{message} at {link_rate} over {tier} take longer than one forward and, without virtual "
     "stages, do not overlap."},

    {"dp.degree?", "Are there four micro-batches or more for each stage?"},
    {"dp.degree.yes",
     "A replica takes {replica} of {gpus} GPUs: DP {data}. A batch of {batch} sequences in "
     "micro-batches of {micro_batch} is {value} for each replica."},
    {"dp.degree.no",
     "A replica takes {replica} of {gpus} GPUs: DP {data}. A batch of {batch} sequences in "
     "micro-batches of {micro_batch} is only {value} for each replica; fewer replicas or a larger "
     "batch would keep the stages busier."},
    {"dp.micro_batch?", "Does a micro-batch have tokens enough to fill a GPU's kernels?"},
    {"dp.micro_batch.yes",
     "Micro-batches of {micro_batch}: the smallest keep the least activations, and these are large "
     "enough."},
    {"dp.micro_batch.no",
     "Micro-batches of {micro_batch}: with few tokens launch gaps and small kernels show, but "
     "larger "
     "ones do not fit, do not divide the batch or lengthen the bubble."},
    {"dp.hidden?", "Are there tokens enough on a GPU to hide gradients and parameters?"},
    {"dp.hidden.yes",
     "Both are a few bytes a parameter, the work beside them grows with tokens: from F/B = "
     "{threshold} on, at F = {layer_rate} and B = {link_rate} over {tier}, they hide behind one of "
     "{micro_batches} micro-batches (of {micro_batch} sequences)."},
    {"dp.hidden.no",
     "Hiding them behind one micro-batch takes F/B = {threshold} tokens, at F = {layer_rate} and B "
     "= {link_rate} over {tier}. The rest is exposed, but only once a step: beside {micro_batches} "
     "micro-batches (of {micro_batch} sequences)."},

    {"sharding.optimizer?", "Would a whole optimizer on each GPU overflow the states' half?"},
    {"sharding.optimizer.yes",
     "States would take {value}; shared by the {ranks} GPUs that hold the same parameters they "
     "take {sharded}, for the same bytes on the wire."},
    {"sharding.optimizer.no",
     "States would take {value}; shared by {ranks} GPUs they take {sharded}, for the same bytes on "
     "the wire, so that nothing speaks against it."},
    {"sharding.none?", "Would a whole optimizer on each GPU overflow the states' half?"},
    {"sharding.none.yes",
     "States take {value}, now {sharded}: sharding over {ranks} GPUs was ruled out."},
    {"sharding.none.no",
     "States take {value}, now {sharded}: no need to shard them over {ranks} GPUs."},
    {"recompute.none?", "Does it fit without recomputation?"},
    {"recompute.none.yes",
     "{needed} are needed; activations are kept until the backward and none has to be "
     "computed again."},
    {"recompute.none.no", "{needed} are needed."},
    {"recompute.selective?", "Does it fit without recomputing whole layers?"},
    {"recompute.selective.yes",
     "Scores of unfused attention are most of what a layer would keep and cheap to make "
     "again, so they always are: {needed} are needed."},
    {"recompute.selective.no",
     "Scores of unfused attention are most of what a layer would keep and cheap to make "
     "again, so they always are: {needed} are needed."},
    {"recompute.full?", "Does it fit without recomputation?"},
    {"recompute.full.yes", "Full recomputation was asked for: {needed} ({recomputed} layers)."},
    {"recompute.full.no",
     "It would take {value}, and no further division helped. Recomputing {recomputed} layers of "
     "each stage portion in the backward brings it to {needed}, for one more forward of these."},
    {"complexity.ceiling?", "Is the complexity within the ceiling?"},
    {"complexity.ceiling.yes", "{value} techniques, at most {threshold}."},
    {"complexity.ceiling.no", "{value} techniques, at most {threshold}."},
    {"complexity.free?", "Is the complexity within the ceiling?"},
    {"complexity.free", "{value} techniques; no ceiling was given."},

    {"split.dp", "the sequences of a batch; the optimizer's states when sharded"},
    {"split.pp", "the layers, and with them parameters, gradients and optimizer"},
    {"split.tp",
     "every matrix, by rows or columns; with sequence parallelism also the activations"},
    {"split.cp", "every sequence, and with it the activations; parameters stay whole"},
    {"limit.dp",
     "{batch} sequences in micro-batches give at most {most} replicas; to hide, a GPU needs "
     "{least} "
     "tokens and has {tokens}"},
    {"limit.pp",
     "{layers} layers; a bubble of {bubble} at {pipeline} stages, {virtual} virtual, "
     "{micro_batches} micro-batches"},
    {"limit.tp",
     "the NVLink domain of {domain} GPUs, {kv_heads} KV heads of {heads} heads; communication is "
     "{ratio} of the work and grows with the degree"},
    {"limit.cp", "a part of {least} tokens hides its exchange, here {part}: up to about CP {most}"},
    {"strategy.unused", "not used here; shown at degree {degree}"},
    {"strategy.impossible", "not possible here: {problem}"},
    {"strategy.memory",
     "memory of the fullest GPU: parameters {parameters}, gradients {gradients}, optimizer "
     "{optimizer}, activations {activations}; saves {saved_states} of states and "
     "{saved_activations} of activations"},
    {"strategy.traffic",
     "sends {bytes} a step in {calls} calls over {tier}, {exposed} of it exposed"},
    {"strategy.hidden", "hides at {hide}; gets {supplied}"},
    {"strategy.exposed", "cannot overlap, so it is exposed; gets {supplied}"},
    {"strategy.knee", "pays up to degree {knee} (tokens/s/GPU by degree: {curve})"},
    {"strategy.no_knee", "no degree that fits (tokens/s/GPU by degree: {curve})"},
    {"label.splits", "splits"},
    {"label.limit", "limit"},
    {"point.unfit", "does not fit"},
    {"point.invalid", "not valid"},
    {"group.fine", "{axis} {degree}: over {tier}; demands {demand}, gets {supplied}"},
    {"group.flagged",
     "{axis} {degree}: over {tier}; demands {demand}, gets only {supplied}: partly exposed"},
    {"group.exposed", "{axis} {degree}: over {tier}; cannot overlap, gets {supplied}"},
    {"group.blocking", "{axis} {degree}: over {tier}; blocks in every layer, gets {supplied}"},
    {"alternative.fits", "{speed} of the choice's tokens/s/GPU"},
    {"alternative.unfit", "needs {memory}: does not fit"},
    {"alternative.invalid", "not valid: {problem}"},

    {"why.same", "The search finds the same configuration: {best}."},
    {"why.none", "The search finds nothing that fits."},
    {"why.faster", "The search takes {best} instead of {rule}: {gain} more tokens/s/GPU."},
    {"why.slower", "The search's best, {best}, is {gain} slower than the rules' {rule}."},
    {"why.terms", "Of a step, {terms}."},
    {"why.term", "{to} instead of {from} go to {term}"},
    {"why.bubble",
     "With p = {best_p} stages, v = {best_v} and m = {best_m} micro-batches its bubble is "
     "{best_bubble}; the rules' p = {rule_p}, v = {rule_v} and m = {rule_m} give "
     "{rule_bubble}."},
    {"why.tensor",
     "The rules took TP {rule_t} to keep activations in their half of memory; its communication, "
     "exposed for {rule_exposed} of the step, falls to {best_exposed} with TP {best_t}."},
    {"why.more_tensor",
     "The search takes TP {best_t} where the rules take {rule_t}: cut matrices divide states "
     "and activations alike, for exposed communication of {best_exposed} of the step."},
    {"why.context",
     "The search uses CP {best_c} where the rules use {rule_c}: cutting sequences frees "
     "activation memory for little exposed exchange ({best_exposed} of the step)."},
    {"why.less_context",
     "The search uses CP {best_c} and PP {best_p} where the rules use CP {rule_c} and PP "
     "{rule_p}: stages divide the training states, which CP does not, and so make room for "
     "longer parts of sequences (exposed exchange: {best_exposed} of the step)."},
    {"why.recompute",
     "Recomputation takes {best_recompute} of the search's step and {rule_recompute} of the "
     "rules'."},
    {"why.micro_batch", "The search uses micro-batches of {best_b}, the rules of {rule_b}."},
    {"why.sequence_parallel",
     "The search leaves sequence parallelism off, for fewer gathers in the backward."},
    {"why.order", "The search places pipelines inside data groups, the rules the other way round."},
    {"why.memory", "It leaves {best_free} of memory free, the rules' choice {rule_free}."},
    {"why.memory_rule",
     "The rules divide memory by a fixed share; the search tries every division exactly."},

    {"term.GEMM", "matrix products"},
    {"term.attention", "attention"},
    {"term.memory-bound", "memory-bound kernels"},
    {"term.recompute", "recomputation"},
    {"term.optimizer", "the optimizer"},
    {"term.host", "the host"},
    {"term.exposed tensor", "exposed TP communication"},
    {"term.exposed context", "exposed CP communication"},
    {"term.exposed pipeline", "exposed PP communication"},
    {"term.exposed data", "exposed DP communication"},
    {"term.exposed expert", "exposed expert communication"},
    {"term.exposed other", "other exposed communication"},
    {"term.bubble", "the bubble"},

    {"note.flash",
     "\"Attention memory grows with the square of the sequence\": only unfused. Flash attention "
     "keeps no scores; what overflows are activations that grow with the length."},
    {"note.unfused",
     "Unfused attention keeps its scores: memory grows with the square of the sequence. Flash "
     "attention would remove that."},
    {"note.sharded",
     "\"DP holds a full copy\": not of the optimizer when it is sharded, here over {ranks} GPUs; "
     "gradients are reduce-scattered and parameters gathered, for the bytes of one all-reduce."},
    {"note.data_overlap",
     "\"DP communicates after the backward\": gradients leave during the last micro-batch's "
     "backward, parameters arrive during the first forward."},
    {"note.no_sequence_parallel",
     "TP without sequence parallelism repeats norms and their activations on every GPU."},
    {"note.redundant_transfers",
     "\"PP needs little bandwidth\": without sequence parallelism each of {tensor} GPUs sends the "
     "same tensor to the next stage."},
    {"note.domain",
     "\"TP 2 to 8\": the bound is the NVLink domain, here {domain} GPUs, and the heads."},
    {"note.ring_volume",
     "\"CP communicates more the finer it cuts\": a GPU receives nearly the whole sequence's keys "
     "and values at any degree; what shrinks is the work that hides them (here CP {context})."},

    {"none.invalid", "No configuration is valid for {gpus} GPUs under these limits."},
    {"none.unfit",
     "Nothing fits: the least that a GPU would have to hold is {least}, and it has {capacity}."},
    {"none.gpus", "The rules find room on {gpus} GPUs of the same servers."},
    {"none.no_gpus", "More of the same servers do not help: it takes GPUs with more memory."},
};

}  // namespace

std::span<const Sentence> english_sentences() { return table; }

}  // namespace stepcast
