-- Sends the hot list 45 times in 50 requests, one animal 4 times, and 1 creation or the hot list.
-- Arguments: path of the hot list, path of one animal with @, file with the ids, path of
-- creations or "-", number of the run.
dofile("report.lua")
dofile("requests.lua")

local CYCLE = 50
local ANIMALS = { [5] = true, [18] = true, [30] = true, [43] = true }
local CREATION = 25

function init(args)
  local hot_list = wrk.format("GET", args[1])
  local before, after = split_request(args[2])
  local run = tonumber(args[5])
  local id = in_turn(read_lines(args[3]), run * 7919)
  local create = args[4] ~= "-" and creations(args[4], run) or function() return hot_list end
  local step = 0
  request = function()
    step = step % CYCLE + 1
    if step == CREATION then return create() end
    if ANIMALS[step] then return before .. id() .. after end
    return hot_list
  end
end
