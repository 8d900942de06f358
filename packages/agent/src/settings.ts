export { loadSettings } from './settings/load-settings.ts';
export type { LoadedSettings, Settings, SettingsFile, SettingsSources } from './settings/load-settings.ts';
export type { SettingName } from './settings/fields.ts';
export { createSecret, redact } from './settings/secret.ts';
export type { Secret } from './settings/secret.ts';
export { fillTemplate } from './settings/template.ts';
export type { Variables } from './settings/template.ts';
