import { defineConfig } from 'vite';

export default defineConfig({
  base: './', // an app may serve its folder under any address
  build: {
    target: 'es2023',
    chunkSizeWarningLimit: 4_000,
    rollupOptions: { input: ['index.html', 'app.html'].map((page) => new URL(page, import.meta.url).pathname) },
  },
  worker: { format: 'es' },
  optimizeDeps: { exclude: ['onnxruntime-web'] }, // it finds its WebAssembly file relative to its own address
});
