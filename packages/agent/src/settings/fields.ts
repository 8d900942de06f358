/** What a setting's value is. */
export type SettingKind = 'text' | 'url' | 'secret';

/** How one setting is written. */
export interface SettingField {
  /** The name in code and files. */
  readonly name: string;
  /** The name in the environment; accepted wherever the other one is, and stronger within one source (C1). */
  readonly variable: string;
  readonly kind: SettingKind;
}

/** All settings of the agent core. */
export const settingFields = [
  { name: 'model', variable: 'QM_MODEL', kind: 'text' },
  { name: 'defaultUser', variable: 'QM_DEFAULT_USER', kind: 'text' },
  { name: 'anthropicApiKey', variable: 'ANTHROPIC_API_KEY', kind: 'secret' },
  { name: 'anthropicBaseUrl', variable: 'ANTHROPIC_BASE_URL', kind: 'url' },
  { name: 'openaiApiKey', variable: 'OPENAI_API_KEY', kind: 'secret' },
  { name: 'openaiBaseUrl', variable: 'OPENAI_BASE_URL', kind: 'url' },
  { name: 'googleApiKey', variable: 'GEMINI_API_KEY', kind: 'secret' },
  { name: 'googleBaseUrl', variable: 'GOOGLE_GEMINI_BASE_URL', kind: 'url' },
] as const satisfies readonly SettingField[];

/** The name of a setting. */
export type SettingName = (typeof settingFields)[number]['name'];

/** The field of either of its names. */
export function findField(key: string): (typeof settingFields)[number] | undefined {
  return settingFields.find(({ name, variable }) => name === key || variable === key);
}
