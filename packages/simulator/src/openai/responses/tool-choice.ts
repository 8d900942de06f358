import { isObject, objectsIn, textOf } from '../../json.ts';
import type { JsonObject } from '../../json.ts';
import { refuseMember, refuseOther } from '../checks.ts';
import { findTool, knownTools } from './callable-tools.ts';
import type { KnownTool } from './callable-tools.ts';
import { fullName } from './request.ts';
import type { ResponsesRequest } from './request.ts';

const choiceTypes = ['allowed_tools', 'custom', 'function', 'mcp'];

/** What `tool_choice` leaves the model. */
export interface ToolFreedom {
  /** The one tool that it must call. */
  readonly forced: string | undefined;
  mayCall(tool: KnownTool): boolean;
}

/** A named tool must be there. */
export function checkToolChoice(request: ResponsesRequest): void {
  const choice = request.body['tool_choice'];
  if (typeof choice === 'string') refuseOther(choice, 'tool_choice', ['none', 'auto', 'required']);
  if (choice === 'required' && knownTools(request).length === 0 && request.tools.length === 0) {
    throw refuseMember(
      "Tool choice 'required' must be specified with 'tools' parameter.",
      undefined,
      'tool_choice',
    );
  }
  if (!isObject(choice) || !choiceTypes.includes(String(choice['type']))) return;
  const named = choice['type'] === 'allowed_tools' ? objectsIn(choice['tools']) : [choice];
  const absent = named
    .map(nameIn)
    .find((name) => name !== undefined && findTool(knownTools(request), name) === undefined);
  if (absent === undefined) return;
  throw refuseMember(`Tool choice '${absent}' not found in 'tools' parameter.`, undefined, 'tool_choice');
}

export function toolFreedom(request: ResponsesRequest): ToolFreedom {
  const choice = request.body['tool_choice'];
  const tools = knownTools(request);
  const first = tools.find((tool) => tool.isLoaded)?.name;
  if (choice === 'none') return { forced: undefined, mayCall: () => false };
  if (choice === 'required') return { forced: first, mayCall: () => true };
  if (!isObject(choice)) return { forced: undefined, mayCall: () => true };
  if (choice['type'] !== 'allowed_tools') return { forced: nameIn(choice), mayCall: () => true };
  const allowed = objectsIn(choice['tools'])
    .map(nameIn)
    .filter((name) => name !== undefined);
  return {
    forced: choice['mode'] === 'required' ? allowed[0] : undefined,
    mayCall: (tool) =>
      allowed.some((name) => {
        const found = findTool(tools, name);
        return found !== undefined && fullName(found) === fullName(tool);
      }),
  };
}

function nameIn(choice: JsonObject): string | undefined {
  return choice['type'] === 'function' || choice['type'] === 'custom' ? textOf(choice['name']) : undefined;
}
