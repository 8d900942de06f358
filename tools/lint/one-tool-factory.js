// T3: whatever the framework issues is bound where it is made, so one file makes tools and one file asks it to.
const factory = 'tools/tool-factory.ts';
const registry = 'tools/tool-registry.ts';

export default {
  meta: { name: 'quartermaster-tools' },
  rules: {
    'one-factory': {
      create(context) {
        const file = context.filename.replaceAll('\\', '/');
        if (file.endsWith(factory)) return {};
        const message = 'Only the factory of a registry makes tools (T3): register a definition instead.';
        const refuseImport = (node) => {
          const isTypeOnly = node.importKind === 'type' || node.exportKind === 'type';
          const isFactory = node.source?.value.endsWith('/tool-factory.ts') === true;
          if (isFactory && !isTypeOnly && !file.endsWith(registry)) context.report({ node, message });
        };
        return {
          TSAsExpression(node) {
            if (node.typeAnnotation.typeName?.name === 'Tool') context.report({ node, message });
          },
          ImportDeclaration: refuseImport,
          ExportNamedDeclaration: refuseImport,
        };
      },
    },
  },
};
