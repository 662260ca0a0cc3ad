-- Sends the same GET again and again: without a request function wrk does that by itself.
dofile("report.lua")
