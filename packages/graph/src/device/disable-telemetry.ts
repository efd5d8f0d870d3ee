// ONNX Runtime reports usage over the network and keeps a device id under the home folder unless this variable is set before
// its library loads. Imported first by the package's index; whoever wants the reports sets the variable to 0.
process.env.ORT_DISABLE_TELEMETRY ??= '1';
