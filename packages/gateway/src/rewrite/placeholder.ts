import { asciiJson } from '@quartermaster/wire';

/** The name of what stands for the deferred tools of a thread while its client declares none of them. */
export const placeholderName = 'quartermaster_placeholder';

/**
 * A tool that no model is shown. The provider renders a request with a deferred tool otherwise than one without, and what
 * a thread has deferred may go and come again: an MCP server that was lost, or is switched off. With this in its place
 * the prefix stays as it was (law 3).
 */
export const placeholderEntry: string = asciiJson({
  name: placeholderName,
  description: 'Stands for tools that are not available at the moment. It does nothing.',
  input_schema: { type: 'object', properties: {} },
  defer_loading: true,
});
