-- Sends the requests of a file, each once and in order, on as many connections as wrk holds open.
local requests, sent = {}, -1  -- Before the first one, wrk asks once to see whether it may be sent.

function init(arguments)
    local file = assert(io.open(arguments[1], "rb"))
    for request in file:read("*a"):gmatch("[^%z]+") do
        requests[#requests + 1] = request
    end
    file:close()
end

function request()
    sent = sent + 1
    if sent >= #requests then
        wrk.thread:stop()  -- What is sent twice now carries its key, and would be answered as it was the first time.
    end
    return requests[math.max(1, math.min(sent, #requests))]
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        '{"answers": %d, "microseconds": %d, "refused": %d, "broken": %d, "p50": %d, "p90": %d, "p99": %d, "max": %d}\n',
        summary.requests, summary.duration, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
        latency:percentile(50), latency:percentile(90), latency:percentile(99), latency.max))
end
