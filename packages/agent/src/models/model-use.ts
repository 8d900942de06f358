/** A model that a run can use, and who says so. */
export interface ModelUse {
  /** For people: `the settings' default`, `agent researcher`. */
  readonly where: string;
  /** An id, alone or after its provider: `anthropic/claude-…`. */
  readonly model: string;
}

/** Every place that can name a model; what is left out names none. */
export interface ModelChoices {
  /** The settings' default, also one that was read before the listings were. */
  readonly settingsDefault?: string | undefined;
  /** The manager's option. */
  readonly manager?: string | undefined;
  /** What `reinitialize` was given. */
  readonly reinitialize?: string | undefined;
  readonly agents?: readonly { readonly name: string; readonly model?: string | undefined }[];
  readonly fallbacks?: readonly string[];
}

/** All of them, for one validation (M1). */
export function listModelUses({
  settingsDefault,
  manager,
  reinitialize,
  agents = [],
  fallbacks = [],
}: ModelChoices): readonly ModelUse[] {
  const named = [
    { where: "the settings' default", model: settingsDefault },
    { where: "the manager's option", model: manager },
    { where: 'reinitialize', model: reinitialize },
    ...agents.map(({ name, model }) => ({ where: `agent ${name}`, model })),
    ...fallbacks.map((model, index) => ({ where: `fallback ${index + 1}`, model })),
  ];
  return named.flatMap(({ where, model }) => (model === undefined ? [] : [{ where, model }]));
}
