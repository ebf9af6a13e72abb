"""Writes trained weights as GGUF: the Guide as qwen35 with its MTP layer, the
draft as qwen3. Matrices become Q8_0, vectors stay F32."""

import json

import gguf
import numpy as np

from model import CONV

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def write(path, params, shape, tokenizer, meta):
    arch = "qwen35" if shape.hybrid else "qwen3"
    w = gguf.GGUFWriter(path, arch)
    w.add_name(meta["name"])
    w.add_description(meta["description"])
    w.add_author("The Paddock authors")
    w.add_license("mit")
    w.add_version(meta["version"])
    w.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    w.add_quantization_version(gguf.GGML_QUANT_VERSION)
    w.add_context_length(meta["context"])
    w.add_embedding_length(shape.width)
    w.add_block_count(shape.layers + (1 if shape.mtp else 0))
    w.add_feed_forward_length(shape.ffn)
    w.add_head_count(shape.heads)
    w.add_head_count_kv(shape.kv_heads)
    w.add_key_length(shape.head)
    w.add_value_length(shape.head)
    w.add_layer_norm_rms_eps(1e-6)
    w.add_rope_freq_base(10000.0)
    w.add_rope_dimension_count(shape.head)
    for key, value in meta["sampling"].items():
        add = w.add_int32 if isinstance(value, int) else w.add_float32
        add(f"general.sampling.{key}", value)
    if shape.hybrid:
        half = shape.head // 2
        w.add_rope_dimension_sections([half - 2 * (half // 3), half // 3, half // 3, 0])
        w.add_uint32(f"{arch}.full_attention_interval", 2)
        w.add_uint32(f"{arch}.ssm.conv_kernel", CONV)
        w.add_uint32(f"{arch}.ssm.inner_size", shape.inner)
        w.add_uint32(f"{arch}.ssm.state_size", shape.delta_head)
        w.add_uint32(f"{arch}.ssm.time_step_rank", shape.delta_heads)
        w.add_uint32(f"{arch}.ssm.group_count", shape.delta_heads)
    if shape.mtp:
        w.add_uint32(f"{arch}.nextn_predict_layers", 1)
    vocabulary(w, tokenizer)

    def vector(name, x):
        w.add_tensor(name, np.asarray(x, np.float32))

    def matrix(name, x):
        x = np.ascontiguousarray(np.asarray(x, np.float32).T)
        kind = gguf.GGMLQuantizationType.Q8_0
        w.add_tensor(name, gguf.quants.quantize(x, kind), raw_dtype=kind)

    def feed_forward(pre, p):
        norm = "post_attention_norm" if shape.hybrid else "ffn_norm"
        vector(pre + norm + ".weight", p["ffn_norm"])
        matrix(pre + "ffn_gate.weight", p["gate"])
        matrix(pre + "ffn_up.weight", p["up"])
        matrix(pre + "ffn_down.weight", p["down"])

    def attention(i, p):
        pre = f"blk.{i}."
        vector(pre + "attn_norm.weight", p["attn_norm"])
        matrix(pre + "attn_q.weight", p["q"])
        matrix(pre + "attn_k.weight", p["k"])
        matrix(pre + "attn_v.weight", p["v"])
        matrix(pre + "attn_output.weight", p["o"])
        vector(pre + "attn_q_norm.weight", p["q_norm"])
        vector(pre + "attn_k_norm.weight", p["k_norm"])
        feed_forward(pre, p)

    def delta(i, p):
        pre = f"blk.{i}."
        vector(pre + "attn_norm.weight", p["attn_norm"])
        matrix(pre + "attn_qkv.weight", p["qkv"])
        matrix(pre + "attn_gate.weight", p["z"])
        vector(pre + "ssm_conv1d.weight", np.asarray(p["conv"]).T)
        vector(pre + "ssm_dt.bias", p["dt"])
        vector(pre + "ssm_a", -np.exp(np.asarray(p["a_log"])))
        matrix(pre + "ssm_alpha.weight", p["alpha"])
        matrix(pre + "ssm_beta.weight", p["beta"])
        vector(pre + "ssm_norm.weight", p["delta_norm"])
        matrix(pre + "ssm_out.weight", p["out"])
        feed_forward(pre, p)

    def layer(kind, i):
        return {k: v[i] for k, v in params[kind].items()}

    matrix("token_embd.weight", np.asarray(params["embed"]).T)
    vector("output_norm.weight", params["norm"])
    for i in range(shape.layers):
        if not shape.hybrid:
            attention(i, layer("attention", i))
        elif i % 2 == 0:
            delta(i, layer("delta", i // 2))
        else:
            attention(i, layer("attention", i // 2))
    if shape.mtp:
        m, i = params["mtp"], shape.layers
        attention(i, m["block"])
        matrix(f"blk.{i}.nextn.eh_proj.weight", m["eh"])
        vector(f"blk.{i}.nextn.enorm.weight", m["enorm"])
        vector(f"blk.{i}.nextn.hnorm.weight", m["hnorm"])
        vector(f"blk.{i}.nextn.shared_head_norm.weight", m["norm"])
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def vocabulary(w, tokenizer):
    size = tokenizer.get_vocab_size()
    tokens = [tokenizer.id_to_token(i) for i in range(size)]
    control = gguf.TokenType.CONTROL
    kinds = [control if t.startswith("<|") else gguf.TokenType.NORMAL for t in tokens]
    w.add_tokenizer_model("gpt2")
    w.add_tokenizer_pre("gpt-2")
    w.add_token_list(tokens)
    w.add_token_types(kinds)
    w.add_token_merges(merges(tokenizer))
    end = tokenizer.token_to_id("<|im_end|>")
    w.add_eos_token_id(end)
    w.add_eot_token_id(end)
    w.add_pad_token_id(tokenizer.token_to_id("<|pad|>"))
    w.add_add_bos_token(False)
    w.add_chat_template(TEMPLATE)


def merges(tokenizer):
    pairs = json.loads(tokenizer.to_str())["model"]["merges"]
    return [m if isinstance(m, str) else " ".join(m) for m in pairs]
