-- Sends a body to paths with a varying part. Arguments: method, path with @, file with the parts, body with %d for a
-- number and %s for a status, number of the run.
dofile("report.lua")
dofile("requests.lua")

local STATUSES = { "available", "pending", "sold" }

function init(args)
  local headers = { ["Content-Type"] = "application/json" }
  for name, value in pairs(wrk.headers) do headers[name] = value end
  local method, path, body = args[1], args[2], args[4]
  local part = in_turn(read_lines(args[3]), tonumber(args[5]) * 7919)
  local count = tonumber(args[5]) * 100000
  request = function()
    count = count + 1
    local sent = body:gsub("@", part()):gsub("%%d", count):gsub("%%s", STATUSES[count % 3 + 1])
    return wrk.format(method, (path:gsub("@", part())), headers, sent)
  end
end
