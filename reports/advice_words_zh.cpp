#include "reports/advice_words.hpp"

namespace stepcast {

namespace {

// 与 advice_words_en.cpp 逐条对应。
constexpr Sentence table[] = {
    {"title", "{model} 在 {cluster} 上的并行方案建议：{gpus} 张 GPU，框架 {framework}"},
    {"job", "序列长度 {sequence} 个 token，全局批大小 {batch} 条序列"},
    {"head.words", "四种切分方式"},
    {"head.conditions", "五个条件"},
    {"head.rules", "按顺序逐条判断"},
    {"head.choice", "规则给出的方案"},
    {"head.search", "与搜索最优解对照"},
    {"head.strategies", "每种并行在本例中的作用"},
    {"head.groups", "各通信组对网络的需求与实际所得"},
    {"head.alternatives", "相邻方案：一个并行度加倍，另一个减半"},
    {"head.notes", "常见说法在本例中不够准确之处"},
    {"answer.yes", "是"},
    {"answer.no", "否"},
    {"against", "{question}{answer}（{value}，阈值 {threshold}）。{reason}"},
    {"alone", "{question}{answer}（{value}）。{reason}"},
    {"colon", "："},
    {"semicolon", "；"},
    {"intro.dp",
     "数据并行（DP）：每组持有完整模型的 GPU（一个副本）处理不同的序列，每步同步一次梯度。"},
    {"intro.pp",
     "流水线并行（PP）：每个阶段只放一部分层，数据切成小份（微批次，micro-batch）依次流过各阶段。"},
    {"intro.tp",
     "张量并行（TP）：组内 GPU "
     "共同切分每个矩阵，每一层都要交换几次激活值。配合序列并行（SP）时，矩阵之间的激活值也一并切分"
     "。"},
    {"intro.cp",
     "上下文并行（CP）：组内 GPU 共同切分每条序列；只有注意力需要别处的 "
     "K、V，由环形通信逐段传递。"},

    {"c1?", "C1. 单张 GPU 放得下完整副本吗？"},
    {"c1.yes",
     "训练状态共 {states}（bf16 加 Adam 时每个参数 18 字节），优化器切分到 {gpus} 张 GPU 后为 "
     "{sharded}；再加激活值 {activations} 和 logits {logits} 仍放得下，单用数据并行即可。"},
    {"c1.no",
     "训练状态共 {states}，即使把优化器切分到 {gpus} 张 GPU 也有 {sharded}；再加激活值 "
     "{activations} 和 logits {logits} 就放不下，必须切分模型。"},
    {"c2?", "C2. 单张 GPU 放得下一层（连同词嵌入）吗？"},
    {"c2.yes", "隐藏维度 {hidden} 本身不强制使用张量并行，但激活值可能会。"},
    {"c2.no", "隐藏维度 {hidden} 时单独一层就放不下，必须用张量并行切开。"},
    {"c3?", "C3. 序列是否远超常规长度？"},
    {"c3.yes",
     "计算上并不算长：长度到 {crossover} 个 token 时注意力与线性层的计算量才相等，远大于 "
     "{sequence}。但其激活值在 TP {tensor} 时为 "
     "{activations}，超出 {budget} 的份额，切分序列可以把它降下来。"},
    {"c3.no",
     "长度到 {crossover} 个 token 时注意力与线性层的计算量才相等。{sequence} 个 token 还算短，"
     "激活值（TP {tensor} 时 {activations}）也没有超出 {budget} 的份额。"},
    {"c3.work?", "C3. 序列是否远超常规长度？"},
    {"c3.work.yes",
     "长度到 {crossover} 个 token 时注意力与线性层的计算量相等，{sequence} 个 token "
     "时注意力已占很大比重。激活值在 TP {tensor} 时为"
     " {activations}，其份额为 {budget}。"},
    {"c4?", "C4. 网络能满足每个通信组的需求吗？"},
    {"c4.yes", "{groups} 个通信组全部满足，带宽见下表。"},
    {"c4.no",
     "{groups} 个通信组中有 {value} "
     "个得到的带宽不足以掩盖通信，数字见下表；露出的部分已计入预测。"},
    {"c5?", "C5. 团队能驾驭这样的复杂度吗？"},
    {"c5.yes",
     "每个启用的并行维度、交错调度、不均匀分层和 fp8 各计 1 分，共 {value} 分，不超过上限 "
     "{threshold}。"},
    {"c5.no", "复杂度 {value} 分，超过上限 {threshold}。"},
    {"c5.free?", "C5. 团队能驾驭这样的复杂度吗？"},
    {"c5.free",
     "每个启用的并行维度、交错调度、不均匀分层和 fp8 各计 1 分，共 {value} 分；"
     "未设上限（可用 --complexity N 设定）。"},

    {"cp.length?", "注意力在一层计算量中的占比超过四分之一吗？"},
    {"cp.length.yes",
     "注意力随长度平方增长，线性层只随长度线性增长，两者在 {crossover} 个 token 处相等；本例序列有 "
     "{sequence} 个。"},
    {"cp.length.no", "在 {crossover} 个 token 之前线性层占主导；本例序列只有 {sequence} 个。"},
    {"cp.activations?", "即使 TP 取到仍划算的最大值，激活值还是超出它那一半显存吗？"},
    {"cp.activations.yes",
     "TP {tensor} 时每层要为一条序列保留 {layer}，{layers} 层共 {value}。增加流水线阶段没有用："
     "有多少个阶段，第一阶段就要同时保留多少个微批次。剩下的办法只有切分序列。"},
    {"cp.activations.no",
     "TP {tensor} 时每层为一条 {sequence} 个 token 的序列保留 {layer}，{layers} 层共 {value}，"
     "不必切分序列。"},
    {"cp.none?", "因此取 CP 1：不切分序列，激活值放得下吗？"},
    {"cp.none.yes", "CP {context}：{value} 没有超过 {threshold}。"},
    {"cp.none.no",
     "CP {context}：{value} 超过 {threshold}，但在现有限制下，{gpus} 张 GPU 放下训练状态后"
     "容不下 CP {wanted}。"},
    {"cp.degree?", "能让激活值回到那一半以内的最小 CP？"},
    {"cp.degree.yes", "CP {context}：每张 GPU 只处理每条序列的 {part} 个 token，激活值 {value}。"},
    {"cp.degree.no",
     "CP {context}：每张 GPU 处理 {part} 个 token，仍有 {value}，但已是最大可用值。"},
    {"cp.limited?", "能让激活值回到那一半以内的最小 CP？"},
    {"cp.limited.yes", "CP {context}：每张 GPU 只处理每条序列的 {part} 个 token，激活值 {value}。"},
    {"cp.limited.no",
     "本该取 CP {wanted}，但那样 {gpus} 张 GPU 就放不下训练状态。在放得下的并行度中，CP "
     "{context}（每张 GPU {part} 个 token）对"
     "其 {value} 激活值需要的重计算最少。"},
    {"cp.ring?", "每段序列是否长到足以掩盖环形通信？"},
    {"cp.ring.yes",
     "GPU 计算一段注意力的同时，下一段 K、V 正在传来。计算量随段长平方增长，通信量只随段长增长："
     "段长达到 2({kv_heads}/{heads})F/B = {threshold} 个 token（F = {layer_rate}，经 {tier} 的 "
     "B = {link_rate}）即可完全掩盖。"},
    {"cp.ring.no",
     "段长不足 2({kv_heads}/{heads})F/B = {threshold} 个 token（F = {layer_rate}，经 {tier} 的 "
     "B = {link_rate}）时，K、V 到得比计算晚，部分通信会露出来。"},

    {"tp.layer?", "单独一层（连同词嵌入）就超出一张 GPU 吗？"},
    {"tp.layer.yes", "其训练状态放不下，必须切分矩阵。"},
    {"tp.layer.no", "其训练状态放得下。"},
    {"tp.activations?", "不用 TP 时，激活值超出它那一半显存吗？"},
    {"tp.activations.yes",
     "CP {context} 时 {layers} 层为一条序列保留 {value}；TP 配合序列并行几乎能把它们全部均分。"},
    {"tp.activations.no", "CP {context} 时 {layers} 层为一条序列保留 {value}。"},
    {"tp.none?", "因此取 TP 1：不切分矩阵，激活值放得下吗？"},
    {"tp.none.yes", "TP {tensor}：{value} 没有超过 {threshold}，不必切分矩阵。"},
    {"tp.none.no", "TP {tensor}：{value} 超过 {threshold}，但再宽就不划算（最大到 {widest}）。"},
    {"tp.degree?", "能让激活值回到那一半以内的最小 TP？"},
    {"tp.degree.yes", "TP {tensor} 使激活值降到 {value}；仍划算的最大 TP 为 {widest}。"},
    {"tp.degree.no", "TP {tensor} 使激活值降到 {value}；仍划算的最大 TP 为 {widest}。"},
    {"tp.widest?", "能让激活值回到那一半以内的最小 TP？"},
    {"tp.widest.yes", "TP {tensor} 使激活值降到 {value}；仍划算的最大 TP 为 {widest}。"},
    {"tp.widest.no",
     "TP {tensor} 时仍有 {value}，而仍划算的最大 TP 为 {widest}；余下的部分交给重计算。"},
    {"tp.cost?", "TP 通信时间不超过它所分担计算的一半吗？"},
    {"tp.cost.yes",
     "每层前向都要四次聚合与分发激活值，而且必须等待。比值 4h(t-1)F/(PB) 与 token 数无关，"
     "只取决于宽度（{hidden}）、t = {tensor}、F = {layer_rate} 和 B = {link_rate}。"},
    {"tp.cost.no",
     "宽度 {hidden}、t = {tensor}、F = {layer_rate}、B = {link_rate} 时，比值 4h(t-1)F/(PB) 偏高："
     "模型对这么宽的组来说偏窄，但显存需要如此。"},
    {"tp.domain?", "TP 组是否在同一个 NVLink 域内？"},
    {"tp.domain.yes",
     "由 NVLink 互连的 {threshold} 张 GPU 之间经 {tier} 可达 {link_rate}；"
     "每层都要等待的通信应当放在这里。"},
    {"tp.domain.no",
     "TP 组超出了由 NVLink 互连的 {threshold} 张 GPU：每层都要在 {tier} 上等待，速率只有 "
     "{link_rate}。"},
    {"step_on?", "这样还有放得下、且气泡不超过八分之一的配置吗？"},
    {"step_on.no",
     "TP {first_tensor} 加 CP {first_context} 没有可用配置；往后第一个可用的是 TP {tensor} 加 "
     "CP {context}。"},

    {"pp.memory?", "不用流水线，模型放得下吗？"},
    {"pp.memory.yes",
     "训练状态 {states} 与激活值 {activations} 可以并存；PP {pipeline}，每张 GPU 的训练状态为 "
     "{states_now}（共 {layers} 层）。"},
    {"pp.memory.no",
     "训练状态 {states} 与激活值 {activations} 无法并存。流水线阶段分摊 {layers} 层的训练状态："
     "PP {pipeline} 时每张 GPU 为 {states_now}。"},
    {"pp.bubble?", "气泡不超过八分之一吗？"},
    {"pp.bubble.yes",
     "气泡是流水线填充和排空时各阶段的空等时间，占工作时间的 (p-1)/(vm)：p = {pipeline} 个阶段，m "
     "= {micro_batches} 个微批次，每张 "
     "GPU 上 v = {virtual} 个虚拟阶段（互不相邻的若干段层）。"},
    {"pp.bubble.no",
     "流水线填充和排空时各阶段空等，占工作时间的 (p-1)/(vm)：p = {pipeline} 个阶段、"
     "m = {micro_batches} 个微批次，即使每张 GPU 放 v = {virtual} 个虚拟阶段也只能到此；"
     "加大全局批会有帮助。"},
    {"pp.transfer?", "激活值能在一次前向的时间内传到下一阶段吗？"},
    {"pp.transfer.yes", "{message} 经 {tier} 以 {link_rate} 传输，藏在下一份计算之后。"},
    {"pp.transfer.no", "{message} 经 {tier} 以 {link_rate} 传输，比一次前向还久，阶段之间要等待。"},
    {"pp.transfer_exposed?", "激活值能在一次前向的时间内传到下一阶段吗？"},
    {"pp.transfer_exposed.yes",
     "{message} 经 {tier} 以 {link_rate} 传输；没有虚拟阶段时不与计算重叠，每次都会加到步时间上。"},
    {"pp.transfer_exposed.no",
     "{message} 经 {tier} 以 {link_rate} 传输，比一次前向还久；没有虚拟阶段时也不与计算重叠。"},

    {"dp.degree?", "每个阶段至少有四个微批次吗？"},
    {"dp.degree.yes",
     "一个副本占用 {gpus} 张 GPU 中的 {replica} 张，因此 DP {data}。全局批 {batch} 条序列，"
     "微批次大小 {micro_batch}，每个副本有 {value} 个微批次。"},
    {"dp.degree.no",
     "一个副本占用 {gpus} 张 GPU 中的 {replica} 张，因此 DP {data}。全局批 {batch} 条序列，"
     "微批次大小 {micro_batch}，每个副本只有 {value} 个微批次；减少副本或加大批能让各阶段更忙。"},
    {"dp.micro_batch?", "一个微批次的 token 数足以填满 GPU 的算子吗？"},
    {"dp.micro_batch.yes", "微批次大小 {micro_batch}：越小保留的激活值越少，而它已足够大。"},
    {"dp.micro_batch.no",
     "微批次大小 {micro_batch}：token 太少时启动间隙和小算子的开销会显现，但更大的微批次放不下、"
     "除不尽全局批，或者会使气泡变长。"},
    {"dp.hidden?", "每张 GPU 上的 token 足以掩盖梯度与参数的通信吗？"},
    {"dp.hidden.yes",
     "每个参数只传几个字节，而旁边的计算随 token 数增长：达到 F/B = {threshold} 个 token"
     "（F = {layer_rate}，经 {tier} 的 B = {link_rate}）即可藏在 {micro_batches} 个微批次"
     "（每个 {micro_batch} 条序列）中的一个之后。"},
    {"dp.hidden.no",
     "要藏在一个微批次之后需要 F/B = {threshold} 个 token（F = {layer_rate}，经 {tier} 的 "
     "B = {link_rate}）。其余部分会露出来，但每步只有一次，与之相对的是 {micro_batches} 个微批次"
     "（每个 {micro_batch} 条序列）。"},

    {"sharding.optimizer?", "每张 GPU 都存完整优化器会超出训练状态那一半显存吗？"},
    {"sharding.optimizer.yes",
     "训练状态会占 {value}；由持有相同参数的 {ranks} 张 GPU 分摊后为 {sharded}，通信量不变。"},
    {"sharding.optimizer.no",
     "训练状态会占 {value}；由 {ranks} 张 GPU 分摊后为 {sharded}，通信量不变，没有理由不用。"},
    {"sharding.none?", "每张 GPU 都存完整优化器会超出训练状态那一半显存吗？"},
    {"sharding.none.yes", "训练状态占 {value}，目前 {sharded}；已指定不切分到 {ranks} 张 GPU。"},
    {"sharding.none.no", "训练状态占 {value}，目前 {sharded}，不必切分到 {ranks} 张 GPU。"},
    {"recompute.none?", "不做重计算放得下吗？"},
    {"recompute.none.yes", "共需 {needed}；激活值保留到反向，无需重新计算。"},
    {"recompute.none.no", "共需 {needed}。"},
    {"recompute.selective?", "不重计算整层放得下吗？"},
    {"recompute.selective.yes",
     "未融合注意力的分数占一层激活值的大部分，重算又很便宜，因此总是重计算它们：共需 {needed}。"},
    {"recompute.selective.no",
     "未融合注意力的分数占一层激活值的大部分，重算又很便宜，因此总是重计算它们：共需 {needed}。"},
    {"recompute.full?", "不做重计算放得下吗？"},
    {"recompute.full.yes", "已指定完全重计算：{needed}（{recomputed} 层）。"},
    {"recompute.full.no",
     "否则需要 {value}，而进一步切分也无济于事。反向时重计算每段中的 {recomputed} 层，"
     "降到 {needed}，代价是这些层多做一次前向。"},
    {"complexity.ceiling?", "复杂度在上限之内吗？"},
    {"complexity.ceiling.yes", "{value} 分，上限 {threshold}。"},
    {"complexity.ceiling.no", "{value} 分，上限 {threshold}。"},
    {"complexity.free?", "复杂度在上限之内吗？"},
    {"complexity.free", "{value} 分；未设上限。"},

    {"split.dp", "一批中的各条序列；优化器切分时还包括优化器状态"},
    {"split.pp", "各层，连同其参数、梯度和优化器状态"},
    {"split.tp", "每个矩阵按行或列切分；配合序列并行时激活值也一并切分"},
    {"split.cp", "每条序列，连同其激活值；参数不切分"},
    {"limit.dp",
     "全局批 {batch} 条序列，按微批次最多 {most} 个副本；要掩盖通信，每张 GPU 需要 {least} 个 "
     "token，"
     "现有 {tokens} 个"},
    {"limit.pp",
     "共 {layers} 层；{pipeline} 个阶段、{virtual} 个虚拟阶段、{micro_batches} 个微批次时气泡为 "
     "{bubble}"},
    {"limit.tp",
     "NVLink 域 {domain} 张 GPU，{heads} 个注意力头中有 {kv_heads} 个 KV 头；通信与计算之比为 "
     "{ratio}，"
     "随并行度增大"},
    {"limit.cp", "段长 {least} 个 token 才能掩盖通信，现有 {part} 个，约可用到 CP {most}"},
    {"strategy.unused", "本方案未使用，以下按并行度 {degree} 给出"},
    {"strategy.impossible", "本例中不可行：{problem}"},
    {"strategy.memory",
     "显存最满的 GPU：参数 {parameters}，梯度 {gradients}，优化器 {optimizer}，激活值 "
     "{activations}；"
     "比不用时节省训练状态 {saved_states}、激活值 {saved_activations}"},
    {"strategy.traffic", "每步经 {tier} 发送 {bytes}，共 {calls} 次，其中露出 {exposed}"},
    {"strategy.hidden", "带宽达到 {hide} 即可掩盖，实际 {supplied}"},
    {"strategy.exposed", "无法与计算重叠，全部露出；实际带宽 {supplied}"},
    {"strategy.knee", "拐点：并行度 {knee} 以内仍划算（各并行度的 tokens/s/GPU：{curve}）"},
    {"strategy.no_knee", "没有放得下的并行度（各并行度的 tokens/s/GPU：{curve}）"},
    {"label.splits", "切分对象"},
    {"label.limit", "扩展极限"},
    {"point.unfit", "放不下"},
    {"point.invalid", "不合法"},
    {"group.fine", "{axis} {degree}：经 {tier}，需要 {demand}，得到 {supplied}"},
    {"group.flagged",
     "{axis} {degree}：经 {tier}，需要 {demand}，只得到 {supplied}，部分通信会露出"},
    {"group.exposed", "{axis} {degree}：经 {tier}，无法重叠，得到 {supplied}"},
    {"group.blocking", "{axis} {degree}：经 {tier}，每层都要等待，得到 {supplied}"},
    {"alternative.fits", "tokens/s/GPU 为本方案的 {speed}"},
    {"alternative.unfit", "需要 {memory}，放不下"},
    {"alternative.invalid", "不合法：{problem}"},

    {"why.same", "搜索得到相同的配置：{best}。"},
    {"why.none", "搜索没有找到放得下的配置。"},
    {"why.faster", "搜索选择 {best}，而规则选择 {rule}：tokens/s/GPU 高 {gain}。"},
    {"why.slower", "搜索的最优解 {best} 比规则的 {rule} 慢 {gain}。"},
    {"why.terms", "在一步之中，{terms}。"},
    {"why.term", "{term}由 {from} 变为 {to}"},
    {"why.bubble",
     "搜索方案 p = {best_p} 个阶段、v = {best_v}、m = {best_m} 个微批次，气泡为 "
     "{best_bubble}；规则方案 p = {rule_p}"
     "、v = {rule_v}、m = {rule_m}，气泡为 {rule_bubble}。"},
    {"why.tensor",
     "规则取 TP {rule_t} 是为了让激活值不超出一半显存；其露出的通信占步时间 {rule_exposed}，"
     "改为 TP {best_t} 后降到 {best_exposed}。"},
    {"why.more_tensor",
     "搜索取 TP {best_t}，规则取 TP "
     "{rule_t}：切分矩阵同时分摊训练状态和激活值，代价是露出的通信占步时间 {best_exposed}。"},
    {"why.context",
     "搜索用 CP {best_c}，规则用 {rule_c}：切分序列腾出了激活值显存，而露出的环形通信很少"
     "（占步时间 {best_exposed}）。"},
    {"why.less_context",
     "搜索用 CP {best_c}、PP {best_p}，规则用 CP {rule_c}、PP {rule_p}：流水线阶段能分摊训练状态而 "
     "CP 不能，由此为更长的序列段腾出显"
     "存（露出的环形通信占步时间 {best_exposed}）。"},
    {"why.recompute", "重计算占搜索方案步时间的 {best_recompute}，占规则方案的 {rule_recompute}。"},
    {"why.micro_batch", "搜索的微批次大小为 {best_b}，规则为 {rule_b}。"},
    {"why.sequence_parallel", "搜索关闭了序列并行，反向时少做几次聚合。"},
    {"why.order", "搜索把流水线排在数据并行组之内，规则则相反。"},
    {"why.memory", "搜索方案剩余显存 {best_free}，规则方案剩余 {rule_free}。"},
    {"why.memory_rule", "规则按固定比例划分显存，搜索则逐一精确计算每种切分。"},

    {"term.GEMM", "矩阵乘"},
    {"term.attention", "注意力"},
    {"term.memory-bound", "访存密集算子"},
    {"term.recompute", "重计算"},
    {"term.optimizer", "优化器"},
    {"term.host", "主机端开销"},
    {"term.exposed tensor", "露出的 TP 通信"},
    {"term.exposed context", "露出的 CP 通信"},
    {"term.exposed pipeline", "露出的 PP 通信"},
    {"term.exposed data", "露出的 DP 通信"},
    {"term.exposed expert", "露出的专家并行通信"},
    {"term.exposed other", "其他露出的通信"},
    {"term.bubble", "气泡"},

    {"note.flash",
     "“注意力显存随序列长度平方增长”：只对未融合的注意力成立。Flash attention 不保存分数，"
     "撑满显存的是随长度线性增长的激活值。"},
    {"note.unfused",
     "未融合的注意力要保存分数，显存随序列长度平方增长；改用 flash attention 可以消除这一项。"},
    {"note.sharded",
     "“DP 每张卡都存一份完整副本”：优化器切分后并非如此，这里由 {ranks} 张 GPU 分摊；"
     "梯度做 reduce-scatter、参数做 all-gather，通信量等于一次全归约。"},
    {"note.data_overlap",
     "“DP 通信发生在反向之后”：梯度在最后一个微批次的反向期间发出，参数在第一个前向期间到达。"},
    {"note.no_sequence_parallel",
     "不开序列并行的 TP 会在每张 GPU 上重复计算归一化并重复保存其激活值。"},
    {"note.redundant_transfers",
     "“PP 几乎不占带宽”：不开序列并行时，{tensor} 张 GPU 会各自把同一个张量发给下一阶段。"},
    {"note.domain", "“TP 取 2 到 8”：真正的上限是 NVLink 域（这里 {domain} 张 GPU）和注意力头数。"},
    {"note.ring_volume",
     "“CP 切得越细通信越多”：无论并行度多少，每张 GPU 都要收到几乎整条序列的 K、V；"
     "变小的是用来掩盖它的计算（这里 CP {context}）。"},

    {"none.invalid", "在这些限制下，{gpus} 张 GPU 没有合法的配置。"},
    {"none.unfit", "都放不下：每张 GPU 至少要放 {least}，而显存只有 {capacity}。"},
    {"none.gpus", "换成 {gpus} 张同样的 GPU 服务器后，规则能找到放得下的配置。"},
    {"none.no_gpus", "增加同样的服务器也无济于事，需要显存更大的 GPU。"},
};

}  // namespace

std::span<const Sentence> chinese_sentences() { return table; }

}  // namespace stepcast
