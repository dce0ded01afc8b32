-- music.lua: plays the song of the host's speaker, quieter with each verse.

local ecs = require "ecs"
local host = require "host" -- what the Go program exposed

local tuning = { quietest = 0, fade = 0.5 }

local verses = { "verse", "chorus", "outro" }

ecs.system "music.play" {
  run = function(ctx)
    host.speaker:Play(verses[ctx.tick])
    host.echo(host.speaker.Volume / 2)
    host.speaker.Volume = host.fade(host.speaker.Volume, tuning.quietest, tuning.fade)
  end,
}
