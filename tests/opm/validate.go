package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/operator-framework/operator-registry/alpha/declcfg"
)

// A tree of files, in the shape of the recorded cases.
type tree struct {
	Files map[string]string `json:"files"`
	// Bytes that are no UTF-8.
	B64 map[string][]byte `json:"b64"`
	// Symbolic links: path to target.
	Links map[string]string `json:"links"`
	// Folders, also empty ones.
	Dirs []string `json:"dirs"`
}

func (t tree) write(root string) error {
	put := func(path string, bytes []byte) error {
		full := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			return err
		}
		return os.WriteFile(full, bytes, 0o600)
	}
	for _, path := range t.Dirs {
		if err := os.MkdirAll(filepath.Join(root, path), 0o700); err != nil {
			return err
		}
	}
	for path, text := range t.Files {
		if err := put(path, []byte(text)); err != nil {
			return err
		}
	}
	for path, bytes := range t.B64 {
		if err := put(path, bytes); err != nil {
			return err
		}
	}
	for path, target := range t.Links {
		full := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			return err
		}
		if err := os.Symlink(target, full); err != nil {
			return err
		}
	}
	return nil
}

func validate(t tree, times int) Verdict {
	root, err := os.MkdirTemp("", "opm-")
	if err != nil {
		fail(err)
	}
	defer os.RemoveAll(root)
	if err := t.write(root); err != nil {
		fail(err)
	}
	var verdict Verdict
	for i := range times {
		message, panicked := once(root)
		message = strings.ReplaceAll(message, root, "{root}")
		switch {
		case i == 0:
			verdict = Verdict{OK: message == "" && !panicked, Message: message, Panic: panicked}
		case message != verdict.Message && !slices.Contains(verdict.Also, message):
			verdict.Also = append(verdict.Also, message)
		}
	}
	return verdict
}

// What config.Validate does for the command, but with one reader, so that files arrive in the order of their paths.
func once(root string) (message string, panicked bool) {
	defer func() {
		if cause := recover(); cause != nil {
			message, panicked = "panic", true
		}
	}()
	config, err := declcfg.LoadFS(context.Background(), os.DirFS(root), declcfg.WithConcurrency(1))
	if err == nil {
		_, err = declcfg.ConvertToModel(*config)
	}
	if err != nil {
		return err.Error(), false
	}
	return "", false
}
