import { hash } from 'node:crypto';

/** The least that the vendors agree on: letters, digits, `_` and `-`, at most 64 (the registry's own rule for tools). */
const legal = /^[\w-]{1,64}$/;

/**
 * The name of a call in the history as any vendor takes it. A declared tool's name stays; a model that called what no
 * tool is called may have written anything, and another vendor refuses the whole conversation for it.
 */
export function toWireName(name: string): string {
  return legal.test(name) ? name : `${name.replaceAll(/[^\w-]/g, '_').slice(0, 51)}_${shortHash(name)}`;
}

/** The id of a call as any vendor takes it; the same for the call and its result. */
export function toWireCallId(callId: string): string {
  return legal.test(callId) ? callId : `call_${shortHash(callId)}${shortHash(`${callId}'`)}`;
}

function shortHash(text: string): string {
  return hash('sha256', text).slice(0, 12);
}
