/** Finds tools of a catalogue by words. */
export const searchToolsName = 'search_tools';

/** Adds one of them to the session. */
export const addToolName = 'add_tool';
