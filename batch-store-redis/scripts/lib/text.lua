-- Numbers and times as text, for every script.
--
-- A time is 20 digits: milliseconds, moved so that the earliest is zero. A length of
-- time is 20 digits of milliseconds. Both compare as text; Lua's numbers would round
-- them. Counts stay below 2^53, where Lua's numbers are exact.

local LATEST = '18446744073709551615'

local function num(number)
  return string.format('%.0f', number)
end

-- A number as 20 digits, for an order by text.
local function pad(number)
  return string.format('%020.0f', number)
end

-- A time moved later, or the latest time (S15).
local function after(time, length)
  local low = tonumber(string.sub(time, 11)) + tonumber(string.sub(length, 11))
  local high = tonumber(string.sub(time, 1, 10)) + tonumber(string.sub(length, 1, 10))
  if low >= 1e10 then
    low, high = low - 1e10, high + 1
  end
  local sum = string.format('%010.0f%010.0f', high, low)
  if #sum > 20 or sum > LATEST then
    return LATEST
  end
  return sum
end

local function later(one, other)
  if one > other then
    return one
  end
  return other
end

-- The earlier of two times, each of which may be absent.
local function earlier(one, other)
  if not one or (other and other < one) then
    return other
  end
  return one
end

-- A text with its length, so that two in a row are never taken for another two (S9).
local function name(text)
  return #text .. ':' .. text
end

-- A text whose order is kept when more follows: a NUL is escaped, the end is marked.
local function ordered(text)
  return string.gsub(text, '%z', '\0\255') .. '\0\0'
end

-- The last number that Lua counts exactly to. Behind it order would be lost (S4).
local LAST = 9007199254740991

-- Refuses to count past the last number.
local function may_follow(number)
  if number >= LAST then
    error({ err = 'FULL the sequence of the store is used up' })
  end
end

-- Damage that was found before anything was written.
local function corrupt(what)
  error({ err = 'CORRUPT ' .. what })
end
