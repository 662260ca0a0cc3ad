-- Places an order for each animal once. Arguments: path, file with the ids, number of the first line to use, from 0.
dofile("report.lua")
dofile("requests.lua")

function init(args)
  local headers = { ["Content-Type"] = "application/json" }
  for name, value in pairs(wrk.headers) do headers[name] = value end
  local id = in_turn(read_lines(args[2]), tonumber(args[3]))
  request = function()
    return wrk.format("POST", args[1], headers, '{"petId":' .. id() .. '}')
  end
end
