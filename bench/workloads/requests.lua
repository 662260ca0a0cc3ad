-- Requests that cost the load generator little: the text is built once, and only the varying part
-- is inserted.

-- A GET of a path in which @ is the varying part. Returns the text before and after it.
function split_request(path)
  local text = wrk.format("GET", path)
  local at = string.find(text, "@", 1, true)
  return string.sub(text, 1, at - 1), string.sub(text, at + 1)
end

-- The lines of a file.
function read_lines(path)
  local lines = {}
  for line in io.lines(path) do lines[#lines + 1] = line end
  return lines
end

-- Returns a function that returns each line in turn, from a different start in each run.
function in_turn(lines, start)
  local next_line = start % #lines
  return function()
    next_line = next_line + 1
    if next_line > #lines then next_line = 1 end
    return lines[next_line]
  end
end

-- Returns a function that returns the creation of another animal with each call.
function creations(path, run)
  local headers = { ["Content-Type"] = "application/json" }
  for name, value in pairs(wrk.headers) do headers[name] = value end
  local body = '{"name":"Bench %06d-%09d","categoryId":7,"status":"pending"}'
  local text = wrk.format("POST", path, headers, string.format(body, run, 0))
  local head = string.sub(text, 1, string.find(text, "\r\n\r\n", 1, true) + 3)
  local count = 0
  return function()
    count = count + 1
    return head .. string.format(body, run, count)
  end
end
