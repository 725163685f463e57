// `/init`: the prompt that makes the agent write the project's CLAUDE.md.

export const initPrompt = `Write the instructions that an agent needs who works on this project for the first time. They go into AGENTS.md if there is one and no CLAUDE.md, else into CLAUDE.md at the root of the project. If that file is there already, keep what is right, and improve the rest.

First find out how things are: read the README, package.json or what stands in its place, the settings of compiler, linter and tests, instructions that other tools have here (.cursor/rules, .github/copilot-instructions.md), and as much of the source as it takes to see how its parts work together.

What belongs there:
- how to build, check and test, and how to run a single test. Name what can't be run here;
- how it is built: what one only sees after reading several files;
- rules that a newcomer would break.

Leave out what holds for every project, what a list of the files shows, and what you haven't seen yourself. One page is enough.

$ARGUMENTS`;
