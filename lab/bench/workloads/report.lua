-- Prints the figures of a run as one line of JSON. Latencies are in microseconds.
function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    'REPORT {"requests":%d,"durationMicroseconds":%d,"p50":%d,"p99":%d,"errors":'
      .. '{"connect":%d,"read":%d,"write":%d,"timeout":%d,"status":%d}}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.connect, errors.read, errors.write, errors.timeout, errors.status))
end
