// The description of Monitor for the model.

export const monitorToolName = 'Monitor';

export const monitorDescription =
  'Watches in the background, and tells you each event while you go on: lines that code prints, frames of a WebSocket, or changes of files.';

export const monitorPrompt = `Monitor begins a background task whose events come to you as messages, also when you are at rest. Give it one source:
- command: JavaScript for a cell that runs in the background, as Repl's run_in_background has it. Each line that it prints is an event: print only what you must hear of, and have it end when there is nothing more to wait for.
- ws: the address of a WebSocket. Each text frame is an event.
- files: a glob. Each change that others make to a file of it is an event: the user, a folder that is mounted, another session. Your own changes aren't told.
Events that come within a second are one message. Of a flood you get the first lines and a count; the task's output file has them all. A monitor that tells or prints too much is stopped. It ends after timeout_ms, by TaskStop, and when the session is closed. For a single wait let a cell wait; to know of a task's end you need no monitor.`;
