-- Sends the same GET repeatedly, as wrk does without a request function.
dofile("report.lua")
