-- GETs of a path with a varying part. Arguments: path with @, file with the parts, number of the run.
dofile("report.lua")
dofile("requests.lua")

function init(args)
  local before, after = split_request(args[1])
  local part = in_turn(read_lines(args[2]), tonumber(args[3]) * 7919)
  request = function() return before .. part() .. after end
end
