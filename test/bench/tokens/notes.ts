// What the metrics of the tokens bench are: what is in each figure and what isn't.

export const notes: readonly string[] = [
  'Tokens are UTF-8 bytes of JSON by four, of requests as query() makes them for a scripted model.',
  'initial_core: the system prompt and the definitions that every conversation begins with, nothing ' +
    'deferred among them.',
  'deferred_share_500: what 500 remote tools add to the first request where they are deferred (their ' +
    'names), by what they add where they are not (toolSearch: false). Our definitions have short ' +
    'texts, and none for a property: longer ones make the share smaller.',
  'cache_eligible: 50 turns of 110 requests in one conversation, 12 times a server comes or goes, 5 ' +
    'times tools are found and one is called; three of the servers whose tools were found go, one ' +
    'comes back. The bytes that some earlier request begins with, by all bytes, the first request included. ' +
    'Counted is what the model is given: the API keeps deferred definitions from it, and puts each ' +
    'where a find refers to it. cache_eligible_wire: the same with all that is sent. _plain: for a ' +
    'model that knows no references.',
  'recall5_*: 251 queries, found when a tool that answers it is among the first five; over 500 and ' +
    '5,000 deferred tools, of which all real ones are among the 500: their names and properties are real, the descriptions ours. _tune: the half that the ranking ' +
    'was changed by; _final: the half that was kept for one run when it was done, and gave 0.96 and 0.944 ' +
    'then: that is the figure for words that nobody had looked at. Counted again with each run, it ' +
    'shows what a later change spoils, and is no kept half any more. See set/README.md.',
  'search_ms_5000: one search, its five definitions included, by the registry’s port; median over the ' +
    'tuned half, three rounds. search_first_ms_5000: the first, which reads all texts and loads the code.',
];
