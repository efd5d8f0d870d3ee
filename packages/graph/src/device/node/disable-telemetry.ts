// ONNX Runtime reports usage over the network and keeps a device id under the home folder unless this variable is set before its
// library loads. Every module that loads the library, or starts a thread or process that does, imports this file. It must run on the
// main thread, since a worker's `process.env` is a copy that native code does not read. ORT_DISABLE_TELEMETRY=0 keeps the reports on.
process.env.ORT_DISABLE_TELEMETRY ??= '1';
