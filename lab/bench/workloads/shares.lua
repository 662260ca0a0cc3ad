-- Sends a share of creations, evenly distributed, and lists and single animals in turn for the rest.
-- Arguments: path of a list with @, file with the pages, path of one animal with @, file with the ids, path of
-- creations, creations in 100 requests, number of the run.
dofile("report.lua")
dofile("requests.lua")

function init(args)
  local list_before, list_after = split_request(args[1])
  local animal_before, animal_after = split_request(args[3])
  local run = tonumber(args[7])
  local page = in_turn(read_lines(args[2]), run * 7919)
  local id = in_turn(read_lines(args[4]), run * 7919)
  local create = creations(args[5], run)
  local share = tonumber(args[6])
  local due = 0
  local is_list = false
  request = function()
    due = due + share
    if due >= 100 then
      due = due - 100
      return create()
    end
    is_list = not is_list
    if is_list then return list_before .. page() .. list_after end
    return animal_before .. id() .. animal_after
  end
end
