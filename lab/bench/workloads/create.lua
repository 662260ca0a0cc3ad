-- Creates animals with distinct names. Arguments: path, number of the run.
dofile("report.lua")
dofile("requests.lua")

function init(args)
  request = creations(args[1], tonumber(args[2]))
end
