import { nearestNames } from '../nearest-names.ts';
import { isKnown } from './known-models.ts';
import type { KnownModels } from './known-models.ts';
import type { ModelUse } from './model-use.ts';

/** A model that was asked for and may be used. */
export interface ResolvedModel {
  readonly where: string;
  readonly provider: string;
  /** As the provider is to be called with it. */
  readonly id: string;
}

/** What came of one use. */
export type ModelReading =
  | { readonly type: 'resolved'; readonly model: ResolvedModel; readonly warning: string | undefined }
  | { readonly type: 'refused'; readonly reason: string };

/** Finds the model that was asked for, or its successor; never a neighbour (M3). */
export function resolveModel({ where, model }: ModelUse, all: readonly KnownModels[]): ModelReading {
  const asked = model.trim();
  const [prefix = '', ...rest] = asked.split('/');
  const named = all.find(({ provider }) => provider.name === prefix);
  const id = named === undefined ? asked : rest.join('/');
  if (id === '') return refuse(`${where}: expected a model's id, came "${model}".`);
  const candidates = named === undefined ? findOwners(id, all) : [named];
  const [known, ...others] = candidates;
  if (known === undefined)
    return refuse(`${where}: no provider knows a model "${asked}". ${advise(id, all)}`);
  if (others.length > 0) {
    const names = candidates.map(({ provider }) => `${provider.name}/${id}`).join(' or ');
    return refuse(`${where}: several providers have a model "${asked}"; say ${names}.`);
  }
  return resolveWith(known, { where, id });
}

function resolveWith(known: KnownModels, { where, id }: { where: string; id: string }): ModelReading {
  const { provider, isAuthoritative } = known;
  const successor = findSuccessor(known, id);
  const used = successor ?? id;
  const replaced =
    successor === undefined ? undefined : `${where}: ${id} is deprecated, and ${successor} is used instead.`;
  const model = { where, provider: provider.name, id: used };
  if (isKnown(known, used)) return { type: 'resolved', model, warning: replaced };
  if (isAuthoritative) {
    const instead = successor === undefined ? '' : `, the successor of the deprecated "${id}"`;
    return refuse(`${where}: ${provider.name} has no model "${used}"${instead}. ${advise(used, [known])}`);
  }
  const unsure = `${where}: ${provider.name} could not be asked for its models, and none called "${used}" is known here.`;
  return {
    type: 'resolved',
    model,
    warning: [replaced, unsure].filter((text) => text !== undefined).join(' '),
  };
}

/** Those who know it; where nobody does, those whose models look like it. */
function findOwners(id: string, all: readonly KnownModels[]): readonly KnownModels[] {
  const knowing = all.filter((known) => isKnown(known, id) || findSuccessor(known, id) !== undefined);
  return knowing.length > 0 ? knowing : all.filter(({ provider }) => provider.owns(id));
}

function findSuccessor({ provider }: KnownModels, id: string): string | undefined {
  const { successors = {} } = provider;
  return Object.hasOwn(successors, id) ? successors[id] : undefined;
}

function advise(id: string, all: readonly KnownModels[]): string {
  const near = nearestNames(
    id,
    all.flatMap(({ ids }) => ids),
  );
  if (near.length > 0) return `Near names: ${near.join(', ')}.`;
  const providers = all.map(({ provider }) => provider.name).join(', ');
  return `Check its spelling, or put its provider before it: one of ${providers}.`;
}

function refuse(reason: string): ModelReading {
  return { type: 'refused', reason };
}
