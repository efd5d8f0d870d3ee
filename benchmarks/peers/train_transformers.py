# Training steps of transformers without a GPU, of all weights or (r) of PEFT's LoRA: sft-step.ts and integer-lora.ts start it and
# ask for one step per line of standard input, so that both take turns. The line says in what: float32, bfloat16 (autocast), or
# compiled (float32 through torch.compile).
# python train_transformers.py '{"config": {"model_type": "gpt2"}, "rows": 4, "tokens": 128, "r": 8, "alpha": 16, "threads": 1}'
import json
import os
import sys
import time

settings = json.loads(sys.argv[1])
os.environ["OMP_NUM_THREADS"] = str(settings["threads"])

import torch  # noqa: E402
from peft import LoraConfig, get_peft_model  # noqa: E402
from transformers import AutoConfig, AutoModelForCausalLM  # noqa: E402

torch.set_num_threads(settings["threads"])
torch.manual_seed(1)


def main():
    config = dict(settings["config"])
    config = AutoConfig.for_model(config.pop("model_type"), **config)
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    if "r" in settings:
        targets = {"target_modules": "all-linear", "task_type": "CAUSAL_LM"}
        model = get_peft_model(model, LoraConfig(r=settings["r"], lora_alpha=settings["alpha"], **targets))
    model.config.use_cache = False
    compiled = torch.compile(model)
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-4, weight_decay=0.01)
    ids = torch.randint(1, config.vocab_size - 1, (settings["rows"], settings["tokens"]))
    model.train()
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0  # ours trains without the config's dropout

    def step(form):
        wall, cpu = time.perf_counter(), time.process_time()
        with torch.autocast("cpu", torch.bfloat16, enabled=form == "bfloat16"):
            loss = (compiled if form == "compiled" else model)(input_ids=ids, labels=ids).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "loss": loss.item()}

    print(torch.__version__, flush=True)
    for line in sys.stdin:
        print(json.dumps(step(line.strip())), flush=True)


main()
