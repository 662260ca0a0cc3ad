-- Runs another script at a steady pace, all connections together. Arguments: requests per second, name of the script, its arguments.
dofile("report.lua")

local ffi = require("ffi")
ffi.cdef([[
  struct bench_time { long seconds; long microseconds; };
  int gettimeofday(struct bench_time *time, void *zone);
]])
local time = ffi.new("struct bench_time")

local function now_ms()
  ffi.C.gettimeofday(time, nil)
  return tonumber(time.seconds) * 1000 + tonumber(time.microseconds) / 1000
end

-- Requests that are later than this are left out: a burst of them would be another load.
local MAX_LATE_MS = 100

function init(args)
  -- Replaces this function.
  dofile(args[2] .. ".lua")
  local of_script = {}
  for index = 3, #args do of_script[index - 2] = args[index] end
  init(of_script)
  local interval_ms = 1000 / tonumber(args[1])
  local due_ms = now_ms()
  -- Called before each request of a connection.
  delay = function()
    local now = now_ms()
    due_ms = math.max(due_ms + interval_ms, now - MAX_LATE_MS)
    return math.max(0, math.floor(due_ms - now + 0.5))
  end
end
