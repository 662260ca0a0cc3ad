-- Requests that cost the load generator little: the text is built once, and only the varying part
-- is inserted.

-- A GET of a path in which @ is the varying part. Returns the text before and after it.
function split_request(path)
  local text = wrk.format("GET", path)
  local at = string.find(text, "@", 1, true)
  return string.sub(text, 1, at - 1), string.sub(text, at + 1)
end

-- The lines of a file, as one text: LuaJIT looks at all strings of a table at once, which stops the load for 60 ms if they are 500,000.
function read_lines(path)
  local file = assert(io.open(path))
  local text = file:read("*a")
  file:close()
  return text:sub(-1) == "\n" and text or text .. "\n"
end

-- Returns a function that returns each line in turn, from a different start in each run.
function in_turn(lines, start)
  local _, count = lines:gsub("\n", "\n")
  local from = 1
  local function next_line()
    if from > #lines then from = 1 end
    local line_end = lines:find("\n", from, true)
    local line = lines:sub(from, line_end - 1)
    from = line_end + 1
    return line
  end
  for _ = 1, start % count do next_line() end
  return next_line
end

local KINDS = { "Adelie", "Chinstrap", "Gentoo", "Rex", "Mia", "Bruno", "Luna", "Kitty", "Søren" }
local STATUSES = { ',"status":"available"', ',"status":"pending"', ',"status":"sold"', "" }
local CATEGORIES = 50
-- All categories with all statuses. The step has no divisor in common with their number: 32 creations in a row have 32 categories.
local COMBINATIONS = CATEGORIES * #STATUSES
local STEP = 77

-- Returns a function that returns the creation of another animal with each call: another name, in turn of all categories,
-- with each of the statuses and without one.
function creations(path, run)
  local headers = { ["Content-Type"] = "application/json" }
  for name, value in pairs(wrk.headers) do headers[name] = value end
  local before, after = {}, {}
  for index = 1, COMBINATIONS * #KINDS do
    local combination = index * STEP % COMBINATIONS
    local category = combination % CATEGORIES + 1
    local status = STATUSES[math.floor(combination / CATEGORIES) + 1]
    local body = string.format('{"name":"%s %06d-%09d","categoryId":%d%s}', KINDS[index % #KINDS + 1], run, 0, category, status)
    local text = wrk.format("POST", path, headers, body)
    local number = string.find(text, "000000000", 1, true)
    before[index], after[index] = string.sub(text, 1, number - 1), string.sub(text, number + 9)
  end
  local count = 0
  return function()
    count = count + 1
    local index = count % #before + 1
    return before[index] .. string.format("%09d", count) .. after[index]
  end
end
