package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/operator-framework/operator-registry/alpha/declcfg"
	"sigs.k8s.io/yaml"
)

// The blobs that the loader takes from a file.
func load(text []byte) Loaded {
	blobs := []string{}
	err := declcfg.WalkMetasReader(bytes.NewReader(text), func(meta *declcfg.Meta, err error) error {
		if err == nil && meta.Schema == "" {
			err = errors.New("object '" + string(meta.Blob) + "' is missing root schema field")
		}
		if err == nil {
			blobs = append(blobs, string(bytes.TrimSuffix(meta.Blob, []byte("\n"))))
		}
		return err
	})
	return answer(blobs, err)
}

// One document, whatever its shape, by the same libraries: without the cutting into documents and without the rules
// for blobs.
func document(text []byte) Loaded {
	converted, err := yaml.YAMLToJSON(text)
	if err != nil {
		return answer([]string{}, err)
	}
	var value any
	if err := json.NewDecoder(bytes.NewReader(converted)).Decode(&value); err != nil && !errors.Is(err, io.EOF) {
		return answer([]string{}, err)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return answer([]string{}, err)
	}
	return answer([]string{string(bytes.TrimSuffix(out.Bytes(), []byte("\n")))}, nil)
}

func answer(blobs []string, err error) Loaded {
	loaded := Loaded{OK: err == nil, Blobs: blobs}
	if err != nil {
		loaded.Message = err.Error()
	}
	return loaded
}
