"""Reads a log directory with TensorBoard's readers and prints what each finds, as JSON. read.py FOLDER"""
import json
import sys
import time

import numpy as np
from tensorboard.backend.event_processing import data_provider, event_accumulator
from tensorboard.backend.event_processing import plugin_event_multiplexer as multiplexer
from tensorboard.data.server_ingester import SubprocessServerDataIngester, get_server_binary
from tensorboard import context
from tensorboard.plugins.hparams import metadata as hparams
from tensorboard.util import grpc_util

folder = sys.argv[1]
found = {}


def reader(name):
    def run(read):
        try:
            found[name] = read()
        except Exception as error:  # the case of this reader has failed
            found[name] = {"error": f"{type(error).__name__}: {error}"[:300]}

    return run


@reader("event_accumulator")
def _():
    events = event_accumulator.EventAccumulator(folder, {"scalars": 0, "tensors": 0, "histograms": 0})
    events.Reload()
    tags = events.Tags()
    scalars = {tag: [[e.step, e.value] for e in events.Scalars(tag)] for tag in tags["scalars"]}
    histograms = {
        tag: [[e.step, e.histogram_value.num, e.histogram_value.sum, sum(e.histogram_value.bucket)]
              for e in events.Histograms(tag)]
        for tag in tags["histograms"]
    }
    texts = {
        tag: [[e.step, e.tensor_proto.string_val[0].decode()] for e in events.Tensors(tag)] for tag in tags["tensors"]
        if events.SummaryMetadata(tag).plugin_data.plugin_name == "text"
    }
    return {"scalars": scalars, "histograms": histograms, "texts": texts}


@reader("hparams")
def _():
    events = event_accumulator.EventAccumulator(folder)
    events.Reload()
    content = events.PluginTagToContent("hparams")
    start = hparams.parse_session_start_info_plugin_data(content["_hparams_/session_start_info"])
    end = hparams.parse_session_end_info_plugin_data(content["_hparams_/session_end_info"])
    values = {name: getattr(value, value.WhichOneof("kind")) for name, value in start.hparams.items()}
    return {"hparams": values, "group": start.group_name, "status": end.status}


def provided(source):
    ctx = context.RequestContext()
    experiment = ""
    listed = source.list_scalars(ctx, experiment_id=experiment, plugin_name="scalars")
    read = source.read_scalars(ctx, experiment_id=experiment, plugin_name="scalars", downsample=1000)
    scalars = {tag: [[p.step, p.value] for p in points] for tags in read.values() for tag, points in tags.items()}
    plugins = sorted(source.list_plugins(ctx, experiment_id=experiment))
    histograms = source.read_tensors(ctx, experiment_id=experiment, plugin_name="histograms", downsample=1000)
    counts = {
        tag: [[p.step, float(np.sum(p.numpy[:, 2]))] for p in points]
        for tags in histograms.values() for tag, points in tags.items()
    }
    text = source.read_tensors(ctx, experiment_id=experiment, plugin_name="text", downsample=1000)
    texts = {
        tag: [[p.step, p.numpy.reshape(-1)[0].decode()] for p in points]
        for tags in text.values() for tag, points in tags.items()
    }
    assert {t for tags in listed.values() for t in tags} == set(scalars)
    return {"scalars": scalars, "plugins": plugins, "histograms": counts, "texts": texts}


@reader("multiplexer")
def _():
    events = multiplexer.EventMultiplexer(tensor_size_guidance={"text": 0, "histograms": 0, "scalars": 0})
    events.AddRunsFromDirectory(folder)
    events.Reload()
    return provided(data_provider.MultiplexerDataProvider(events, folder))


@reader("data_server")
def _():
    ingester = SubprocessServerDataIngester(
        server_binary=get_server_binary(), logdir=folder, reload_interval=0,
        channel_creds_type=grpc_util.ChannelCredsType.LOCAL,
        samples_per_plugin={"scalars": 1000, "text": 1000, "histograms": 1000},
    )
    ingester.start()
    for _ in range(100):
        result = provided(ingester.data_provider)
        if result["scalars"]:
            return result
        time.sleep(0.1)
    raise TimeoutError("the server finds no scalars")


print(json.dumps(found))
